import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Reads a file readable only by its owner, creating it with `make` if needed. */
export function keepSecret(file, make) {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const secret = make();
  writeSecret(file, `${secret}\n`);
  return secret;
}

export function keepSecretJson(file, make) {
  return {
    value: JSON.parse(keepSecret(file, () => JSON.stringify(make()))),
    save: (value) => writeSecret(file, `${JSON.stringify(value)}\n`),
  };
}

/** Writes to a temporary file and renames it, so that a killed start leaves either the old text or the new one. */
function writeSecret(file, text) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o711 });
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
