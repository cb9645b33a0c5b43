import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const pages = ['docs/kubernetes.md', 'docs/kubernetes-sizes.md', 'docs/operations.md'];
const read = (file: string): string => readFileSync(file, 'utf8');
const named = (pattern: RegExp): string[] => pages.flatMap((page) => read(page).match(pattern) ?? []);

const values: Record<string, unknown> = parse(read('deploy/helm/toolmark/values.yaml'));

/** Whether the chart has a value at this path. What is below an empty object is free. */
function hasValue(path: string): boolean {
  let value: unknown = values;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return false;
    if (Object.keys(value).length === 0) return true;
    if (!(key in value)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

it('the guide names only values that the chart has', () => {
  const paths = named(/(?<=`)[a-z][A-Za-z]+(?:\.[A-Za-z]+)+(?=[`:])/g).filter((path) => path.split('.')[0]! in values);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !hasValue(path))).toEqual([]);
});

it('its examples of values are such as the chart has', () => {
  const examples = pages
    .flatMap((page) => [...read(page).matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, text]) => parse(text!)))
    .filter((example) => !('kind' in example) && !('keys' in example)); // other objects, and the list of references
  const paths = examples.flatMap((example: Record<string, unknown>) =>
    Object.entries(example).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null ? Object.keys(value).map((below) => `${key}.${below}`) : [key],
    ),
  );
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !hasValue(path))).toEqual([]);
});

it('it names only metrics that exist, and files of the chart that are there', () => {
  const metrics = read('docs/metrics.md');
  const unknown = named(/\btoolmark_[a-z_]+\b/g).filter((name) => !metrics.includes(`\`${name}\``));
  // A role of Postgres in an example.
  expect([...new Set(unknown)].sort()).toEqual(['toolmark_b']);
  const files = named(/\bdeploy\/(?:helm|grafana)\/[\w./-]*\w/g);
  expect([...new Set(files)].filter((file) => !existsSync(file))).toEqual([]);
});
