import { globSync, readFileSync } from 'node:fs';
import { PROVIDER_TEMPLATES } from '#lib/providers/templates';

const guide = readFileSync('docs/providers.md', 'utf8');
const sourceOf = (...patterns: string[]): string =>
  patterns
    .flatMap((pattern) => globSync(pattern))
    .filter((file) => !file.includes('.spec.'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
const quoted = (text: string): string[] => [...text.matchAll(/(?<![\w*])_([^_]+)_(?!\w)/g)].map(([, words]) => words!);

it('docs/providers.md names fields and hosts as the page does', () => {
  const source = sourceOf('apps/web/features/providers/**/*.tsx', 'apps/web/shell/**/*.tsx', 'apps/web/features/*.ts*');
  const [, fields] = /^## The fields\n\n([^]*?)\n\n/m.exec(guide)!;
  const rows = [fields!, ...(guide.match(/^\| page \|.*$/gm) ?? [])];
  const labels = new Set(rows.flatMap(quoted));
  expect(labels.size).toBeGreaterThan(10);
  expect([...labels].filter((label) => !source.includes(label))).toEqual([]);
  const hosts = [...guide.matchAll(/_Host_: ([^;|]+?)(?=[;|] | \|)/g)].map(([, name]) => name);
  expect(hosts.length).toBeGreaterThan(8);
  expect(hosts.filter((name) => !PROVIDER_TEMPLATES.some((template) => template.name === name))).toEqual([]);
});

it('it explains what Toolmark says in its words', () => {
  const code = sourceOf('libs/{egress,providers,runtime,contracts}/**/*.ts', 'libs/db/**/*.ts', 'apps/api/**/*.ts');
  const texts = code.replaceAll(/['"`] \+\s+['"`]/g, '').replaceAll("\\'", "'");
  const section = guide.slice(guide.indexOf('## When it does not work'));
  const said = [...section.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell]) => quoted(cell!));
  const parts = said.flatMap((sentence) => sentence.split(/[A-Z]{3,}|\.\.\.|\(401\)/)).map((part) => part.trim());
  const telling = parts.filter((part) => part.length > 12);
  expect(telling.length).toBeGreaterThan(8);
  expect(telling.filter((part) => !texts.includes(part))).toEqual([]);
});
