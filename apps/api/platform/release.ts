import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packageJson = new URL(
  import.meta.url.includes('/dist/') ? '../../../../package.json' : '../../../package.json',
  import.meta.url,
);

/** The release of this process. */
export const { version: RELEASE } = JSON.parse(readFileSync(fileURLToPath(packageJson), 'utf8')) as { version: string };
