import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSignInFile } from '../apps/api/sign-in/sign-in-file.js';

const guide = readFileSync('docs/sign-in.md', 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'toolmark-guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

const files = [...guide.matchAll(/^```yaml\n(providers:[^]*?)^```/gm)].map(([, text]) => [
  /id: (\S+)/.exec(text!)![1]!,
  text!,
]);

it.each(files)('an API takes the file of the guide for %s', (_id, text) => {
  const file = join(folder, 'sign-in.yaml');
  writeFileSync(file, text);
  for (const [, secret] of text.matchAll(/client_secret_file: (\S+)/g))
    writeFileSync(join(folder, secret!), 'secret\n');
  const [provider, ...others] = readSignInFile(file, 'https://toolmark.example.com');
  expect(others).toEqual([]);
  expect(guide).toContain(`\`${provider!.redirect_uri}\``);
});

it('the guide has each of its providers, and explains what the page says in its words', () => {
  expect(files).toHaveLength(4);
  const source = globSync('apps/api/sign-in/*.ts').map((file) => readFileSync(file, 'utf8'));
  const code = source.join('\n').replaceAll(/['`] \+\s+['`]/g, '');
  const section = guide.slice(guide.indexOf('## When it does not work'));
  const said = [...section.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/_([^_]+)_/g)].flatMap(([, sentence]) => sentence!.split(/NAME|URL/)),
  );
  const parts = said.map((part) => part.trim()).filter((part) => part.length > 8);
  expect(parts.length).toBeGreaterThan(10);
  expect(parts.filter((part) => !code.includes(part))).toEqual([]);
});
