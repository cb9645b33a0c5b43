import { readFileSync } from 'node:fs';

const names = (path: string, pattern: RegExp): string[] =>
  [...readFileSync(path, 'utf8').matchAll(pattern)].map(([, name]) => name!);

// `npm run docs` generates .env.example and the table of docs/operations.md.
test('.env.example has every environment variable that Compose and the processes read', () => {
  const read = [
    ...names('docker-compose.yml', /\$\{([A-Z_]+)/g),
    ...names('apps/simulator/main.ts', /process\.env\.([A-Z_]+)/g),
    ...names('apps/cli/connection.ts', /process\.env\.(TOOLMARK_[A-Z_]+)/g),
    ...names('scripts/start.mjs', /\b(TOOLMARK_[A-Z_]+)\b/g),
  ];
  expect(names('.env.example', /^#([A-Z_]+)=/gm)).toEqual(expect.arrayContaining(read));
});
