import { ProblemError } from '#lib/contracts/problem';
import type { Incoming } from './incoming.js';

export interface CsvRow {
  /** Where the row begins in the file, from 1. */
  line: number;
  cells: string[];
}

/** RFC 4180, with any kind of line end. The first line says whether cells are divided by comma, semicolon or tab. */
export async function* readCsv(text: string | Incoming): AsyncGenerator<CsvRow> {
  let rest = '';
  let delimiter: string | undefined;
  let line = 1;
  let enough = 0;
  for await (const piece of typeof text === 'string' ? [] : text.pieces) {
    rest += piece;
    if (rest.length < enough) continue;
    const source = delimiter === undefined ? rest.replace(/^\ufeff/, '') : rest;
    if (delimiter === undefined && !/[\r\n]/.test(source)) continue;
    delimiter ??= delimiterOf(source);
    const left = yield* rowsOf(source, delimiter, line, false);
    line = left.line;
    rest = source.slice(left.at);
    // A row that is longer than its piece is looked at again when there is twice as much of it.
    enough = rest.length * 2;
  }
  const last = typeof text === 'string' ? text : rest;
  const source = delimiter === undefined ? last.replace(/^\ufeff/, '') : last;
  yield* rowsOf(source, delimiter ?? delimiterOf(source), line, true);
}

/**
 * The rows that stand in a text whole; answers where the next one begins. Of a text that has ended, the last one is
 * whole too.
 */
function* rowsOf(
  source: string,
  delimiter: string,
  firstLine: number,
  ended: boolean,
): Generator<CsvRow, { at: number; line: number }> {
  let line = firstLine;
  for (let at = 0; at < source.length;) {
    const row: CsvRow = { line, cells: [] };
    const begin = { at, line };
    for (let more = true; more;) {
      let cell = '';
      if (source[at] === '"') {
        const openedAt = line;
        for (at++; ;) {
          const quote = source.indexOf('"', at);
          if (!ended && (quote < 0 || quote + 1 >= source.length)) return begin;
          if (quote < 0)
            throw new ProblemError(
              400,
              `Line ${openedAt}: a cell begins with a quotation mark and never ends. Nothing was imported.`,
            );
          cell += source.slice(at, quote);
          at = quote + 1;
          if (source[at] !== '"') break;
          cell += '"';
          at++;
        }
        line += cell.split('\n').length - 1;
        if (at < source.length && ![delimiter, '\r', '\n'].includes(source[at]!))
          throw new ProblemError(
            400,
            `Line ${line}: something follows the closing quotation mark of a cell. Quotation marks ` +
              'inside a cell are doubled.',
          );
      } else {
        const from = at;
        while (at < source.length && source[at] !== delimiter && source[at] !== '\n' && source[at] !== '\r') at++;
        cell = source.slice(from, at);
      }
      row.cells.push(cell);
      more = source[at] === delimiter;
      if (more) at++;
    }
    // What follows may be more of the cell, or the second half of a line end.
    if (!ended && at + 1 >= source.length) return begin;
    if (source[at] === '\r') at++;
    if (source[at] === '\n') at++;
    line++;
    if (row.cells.some((cell) => cell !== '')) yield row;
  }
  return { at: source.length, line };
}

function delimiterOf(source: string): string {
  const header = source.slice(0, /[\r\n]/.exec(source)?.index ?? source.length);
  return [',', ';', '\t']
    .map((delimiter) => ({ delimiter, count: header.split(delimiter).length }))
    .sort((a, b) => b.count - a.count)[0]!.delimiter;
}
