import { readFileSync, statSync } from 'node:fs';
import { decodeText } from '#lib/contracts/input/decode-text';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import { findJsonFault } from '#lib/contracts/json/json-fault';
import { PriceTable, type KnownPrices } from '#lib/contracts/known-prices';

const MAX_BYTES = 4 * 2 ** 20;
const MAX_FAULTS_SHOWN = 10;
const MAX_LINE = 300;

// `scripts/build.mjs` copies it next to the built module.
const BUILT_IN = new URL('known-prices.json', import.meta.url);

/** A price table that cannot be used. */
export class PricesFault extends Error {}

/**
 * The price table of this release, or the one of a file that replaces it.
 * @throws PricesFault naming the file, each wrong place and the valid values
 */
export function readKnownPrices(file?: string): KnownPrices {
  try {
    return { source: file === undefined ? 'built in' : 'file', ...readTable(file ?? BUILT_IN) };
  } catch (error) {
    throw new PricesFault(`The prices in ${file ?? BUILT_IN.pathname} cannot be used:\n${(error as Error).message}`);
  }
}

function readTable(file: string | URL): PriceTable {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new Error('  There is no such file.');
  if (!stats.isFile()) throw new Error('  It is not a file.');
  if (stats.size > MAX_BYTES) throw new Error(`  It has ${stats.size} bytes; at most ${MAX_BYTES} are read.`);
  const parsed = PriceTable.safeParse(parse(decodeText(readFileSync(file), { name: '  It', isUtf8: true })));
  if (parsed.success) return parsed.data;
  const errors = toInputErrors(parsed.error.issues);
  const lines = errors
    .slice(0, MAX_FAULTS_SHOWN)
    .map(({ path, message }) => `  ${path || 'It'} ${message}`.slice(0, MAX_LINE));
  const more = errors.length > MAX_FAULTS_SHOWN ? ['  There are more problems.'] : [];
  throw new Error([...lines, ...more].join('\n'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = findJsonFault(text) ?? { line: 1, column: 1 };
    throw new Error(`  It is not JSON: line ${line}, column ${column} is wrong.`);
  }
}
