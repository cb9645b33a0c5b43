// Checks objects against the TypeScript interfaces of their kinds: unlike JSON schemas, these refuse unknown fields.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { node, root } from '../set-up.mjs';
import { readDashboard } from './queries.mjs';
import { installTools } from './tools.mjs';

const TSC = join(root, 'node_modules/typescript/bin/tsc');
const MODELS = [
  'kubernetes-models',
  '@kubernetes-models/keda',
  '@kubernetes-models/prometheus-operator',
  '@kubernetes-models/gateway-api',
];
/** Of what is stored as JSON: values instead of enumerations, no methods, and what has a default may be left out. */
const PLAIN = `
type Plain<T> =
  T extends string ? \`\${T}\` : T extends (infer Item)[] ? Plain<Item>[] : T extends object ? PlainObject<T> : T;
type PlainObject<T> = { [Key in keyof T as T[Key] extends () => void ? never : Key]?: Plain<T[Key]> };
`;

/** @returns the import of an object's interface; also of versions that Kubernetes of today has no more */
function typeOf({ apiVersion, kind }) {
  const path = MODELS.map((name) => `${name}/${apiVersion}/${kind}`).find((each) =>
    existsSync(join(installTools(), `${each}.d.ts`)),
  );
  return path && `import type { I${kind} as Type } from '${path}';\n`;
}

/** @returns the source that holds an object, undefined if there is no interface for its kind */
export function objectSource(object) {
  const type = typeOf(object);
  return type && `${type}export const object: Type = ${JSON.stringify(object, null, 2)};\n`;
}

const GRAFANA = '@grafana/grafana-foundation-sdk';

/** @returns sources that hold the dashboard, and each of its panels as one of its type, with their names */
export function dashboardSources() {
  const { panels, ...dashboard } = readDashboard(root);
  const literal = (object) => JSON.stringify(object, null, 2);
  const head = `import type { Dashboard, Panel, RowPanel } from '${GRAFANA}/dashboard';${PLAIN}`;
  const whole = `${head}export const dashboard: PlainObject<Omit<Dashboard, 'panels'>> = ${literal(dashboard)};\n`;
  const sources = new Map([[whole, 'the dashboard']]);
  for (const { targets = [], options, fieldConfig, ...panel } of panels) {
    const { custom, ...defaults } = fieldConfig?.defaults ?? {};
    const source = `${head}
import type { Dataquery } from '${GRAFANA}/prometheus';
${panel.type === 'row' ? '' : `import type * as Own from '${GRAFANA}/${panel.type}';`}
export const panel: PlainObject<${panel.type === 'row' ? 'RowPanel' : 'Panel'}> = ${literal(panel)};
export const targets: PlainObject<Dataquery>[] = ${literal(targets)};
export const fieldConfig: PlainObject<NonNullable<Panel['fieldConfig']>> = ${literal({ ...fieldConfig, defaults })};
${options ? `export const options: PlainObject<Own.Options> = ${literal(options)};` : ''}
${custom ? `export const custom: PlainObject<Own.FieldConfig> = ${literal(custom)};` : ''}
`;
    sources.set(source, `panel ${panel.title}`);
  }
  return sources;
}

/**
 * @param sources a Map of each source to the name of what it holds
 * @returns what the compiler says, with these names
 */
export function compile(sources) {
  const folder = join(installTools(), '.held');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const names = [...sources.values()];
  [...sources.keys()].forEach((source, at) => writeFileSync(join(folder, `${at}.ts`), source));
  const options = {
    compilerOptions: { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', types: [] },
    files: names.map((_, at) => `${at}.ts`),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const { status, stdout } = spawnSync(node, [TSC, '--project', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) return [];
  return stdout
    .trim()
    .split('\n')
    .map((line) =>
      line.replace(/^(\d+)\.ts\((\d+),\d+\)/, (_, at, row) => `${names[at]}: ${lineOf(sources, at, row)}`),
    );
}

/** The line that the compiler refuses: its own texts do not always quote it. */
const lineOf = (sources, at, row) => [...sources.keys()][at].split('\n')[row - 1].trim();
