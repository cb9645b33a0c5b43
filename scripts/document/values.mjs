// The table of the chart's README: every value with its default and the comment above it, which begins with `# --`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parseDocument } from 'yaml';
import { root } from '../set-up.mjs';
import { code, table } from './tables.mjs';

export function values() {
  const { contents } = parseDocument(readFileSync(join(root, 'deploy/helm/toolmark/values.yaml'), 'utf8'));
  return table(['value', 'default', 'what it does'], rowsOf(contents, ''));
}

/** @throws Error if a value has no comment: neither its own, nor one of the group that it is in */
function rowsOf(map, path) {
  return map.items.flatMap(({ key, value }, at) => {
    // The parser gives the comment above the first value of a group to the group.
    const comment = at === 0 && path ? map.commentBefore : key.commentBefore;
    const name = `${path}${key.value}`;
    const described = /^ -- ([^]*)/.exec(comment ?? '')?.[1].replaceAll(/\n ?/g, ' ');
    if (described) return [[code(name), code(defaultOf(value)), described]];
    if (isMap(value) && value.items.length > 0) return rowsOf(value, `${name}.`);
    throw new Error(`${name} has no comment "# -- ..." in values.yaml.`);
  });
}

const defaultOf = (value) =>
  isScalar(value) && value.value === '' ? '""' : JSON.stringify(value.toJSON()).replaceAll(/^"(.+)"$/g, '$1');
