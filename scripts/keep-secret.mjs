import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The text of a file that only its owner may read; made with `make` when there is none. */
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

/** Written aside and renamed: a start that is killed leaves the old text or the new one. */
function writeSecret(file, text) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o711 });
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
