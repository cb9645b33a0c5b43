import type { ImportFormat } from '#lib/contracts/import';
import { decodeText } from '#lib/contracts/input/decode-text';
import { ProblemError } from '#lib/contracts/input/problem';

/** The API's size limit of a file. */
const MAX_FILE_BYTES = 10 * 2 ** 20;

const BY_EXTENSION: Record<string, ImportFormat> = {
  json: 'native',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'csv',
  tsv: 'csv',
  yaml: 'yaml',
  yml: 'yaml',
};

/** The format suggested by a file name; undefined if unclear. */
export function formatOf(fileName: string): ImportFormat | undefined {
  const extension = /\.([a-z]{2,6})$/i.exec(fileName)?.[1]?.toLowerCase();
  return extension === undefined || !Object.hasOwn(BY_EXTENSION, extension) ? undefined : BY_EXTENSION[extension];
}

/** The text of a file, in UTF-8, or in UTF-16 with a byte order mark. @throws ProblemError if it is not text */
export const textOf = (fileName: string, bytes: ArrayBuffer): string =>
  decodeText(new Uint8Array(bytes), { name: `"${fileName}"` });

/** Why a file could not be read. */
export const readFailure = ({ name }: { name: string }, error: unknown): string =>
  error instanceof ProblemError ? error.message : `"${name}" cannot be read. Was it moved, or is it a folder?`;

/** A size in the words of the API's limits. */
export const sizeOf = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.max(1, Math.round(bytes / 1024))} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Why a file cannot be imported; undefined if it can. */
export const sizeFailure = ({ name, size }: { name: string; size: number }): string | undefined =>
  size > MAX_FILE_BYTES
    ? `"${name}" has ${sizeOf(size)}; the limit is ${sizeOf(MAX_FILE_BYTES)}. Split it: cases can be ` +
      'added to a suite later.'
    : undefined;
