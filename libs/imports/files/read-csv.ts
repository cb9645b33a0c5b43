import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { ProblemError } from '#lib/contracts/input/problem';
import { TextStream, lookAhead } from '../source/text-stream.js';

export interface CsvRow {
  /** The line in the file on which the row starts, from 1. */
  line: number;
  cells: string[];
}

/**
 * Reads CSV (RFC 4180) with any kind of line end. The first line determines whether commas, semicolons or tabs separate
 * cells. A quotation mark inside a cell that does not start with one is part of the text.
 * @throws ProblemError 400 that names the line on which the row starts
 */
export async function* readCsv(text: string | TextStream): AsyncGenerator<CsvRow> {
  const { seen, again } = await lookAhead(text, (begin) => /[\r\n]/.test(begin));
  let line = 1;
  const toRow = ({ raw, record: cells }: { raw: string; record: string[] }): CsvRow | null => {
    const row = { line, cells };
    if (hasTextAfterQuote(raw, cells))
      throw new ProblemError(
        400,
        `Line ${line}: something follows the closing quotation mark of a cell. ` +
          'Double the quotation marks inside a cell.',
      );
    // The library counts "\r\n" inside a cell as two lines.
    line += raw.match(/\r\n?|\n/g)?.length ?? 0;
    return cells.some((cell) => cell !== '') ? row : null;
  };
  const rows = parse({
    bom: true,
    delimiter: delimiterOf(seen),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    raw: true,
    on_record: toRow as unknown as (record: string[]) => string[],
  });
  // Both streams end when either fails, or when the reader stops. The loop below throws the error.
  pipeline(Readable.from(inChunks(again.pieces)), rows, () => {});
  try {
    yield* rows as AsyncIterable<CsvRow>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ProblemError(
      400,
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? `Line ${line}: a cell of this row begins with a quotation mark and never ends. Nothing was imported.`
        : `Line ${line}: this row is not CSV: ${error.message}. Nothing was imported.`,
    );
  }
}

const MAX_CHUNK_LENGTH = 64 * 1024;

/** The library works on bytes and parses each chunk at once, so a chunk must not end inside a character. */
async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + piece;
    let from = 0;
    while (from < text.length) {
      let end = Math.min(from + MAX_CHUNK_LENGTH, text.length);
      if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
      if (end === from) break;
      yield text.slice(from, end);
      from = end;
    }
    rest = text.slice(from);
  }
  if (rest) yield rest;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/**
 * Whether a row has text after a closing quotation mark. When the library allows quotation marks inside unquoted cells,
 * it also allows this, and keeps the outer quotation marks in the cell.
 */
function hasTextAfterQuote(raw: string, cells: readonly string[]): boolean {
  let from = 0;
  return cells.some((cell) => {
    if (!cell.startsWith('"')) return false;
    const quoted = `"${cell.replaceAll('"', '""')}"`;
    const at = raw.indexOf(quoted, from);
    from = at + quoted.length;
    return at < 0;
  });
}

function delimiterOf(source: string): string {
  const [header] = source.split(/[\r\n]/, 1) as [string];
  return [',', ';', '\t']
    .map((delimiter) => ({ delimiter, count: header.split(delimiter).length }))
    .sort((a, b) => b.count - a.count)[0]!.delimiter;
}
