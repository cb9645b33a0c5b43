import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Defined by `npm run cli:bundle`: the single file that it builds is not in a checkout. */
declare const BUNDLED_VERSION: string | undefined;
const bundledVersion = typeof BUNDLED_VERSION === 'undefined' ? undefined : BUNDLED_VERSION;

/** The folder of the checkout that this command belongs to; undefined for the single-file bundle. */
export const checkout =
  bundledVersion === undefined
    ? fileURLToPath(new URL(import.meta.url.includes('/dist/') ? '../../..' : '../..', import.meta.url))
    : undefined;

export function version(): string {
  if (checkout === undefined) return bundledVersion!;
  return (JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }).version;
}
