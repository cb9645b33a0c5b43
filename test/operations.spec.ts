import { readFileSync } from 'node:fs';

const names = (path: string, pattern: RegExp): string[] =>
  [...readFileSync(path, 'utf8').matchAll(pattern)].map(([, name]) => name!);

test('docs/operations.md lists every environment variable that is read, and no other', () => {
  const read = [
    ...names('libs/runtime/env.ts', /^ {2}([A-Z_]+): /gm),
    ...names('.env.example', /^#([A-Z_]+)=/gm),
    ...names('docker-compose.yml', /\$\{([A-Z_]+)/g),
    'TOOLMARK_SECRETS_DIR',
  ];
  const rows = names('docs/operations.md', /^\| (`[A-Z].*?) \|/gm);
  expect([...rows.join().matchAll(/[A-Z_]+/g)].map(String).sort()).toEqual([...new Set(read)].sort());
});
