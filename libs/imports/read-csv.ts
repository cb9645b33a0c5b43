import { ProblemError } from '#lib/contracts/problem';

export interface CsvRow {
  /** Where the row begins in the file, from 1. */
  line: number;
  cells: string[];
}

/** RFC 4180, with any kind of line end. The first line says whether cells are divided by comma, semicolon or tab. */
export function* readCsv(text: string): Generator<CsvRow> {
  const source = text.replace(/^\ufeff/, '');
  const delimiter = delimiterOf(source);
  let line = 1;
  for (let at = 0; at < source.length; ) {
    const row: CsvRow = { line, cells: [] };
    for (let more = true; more; ) {
      let cell = '';
      if (source[at] === '"') {
        const openedAt = line;
        for (at++; ; ) {
          const quote = source.indexOf('"', at);
          if (quote < 0) throw new ProblemError(400, `Line ${openedAt}: a cell begins with a quotation mark and never ends. Nothing was imported.`);
          cell += source.slice(at, quote);
          at = quote + 1;
          if (source[at] !== '"') break;
          cell += '"';
          at++;
        }
        line += cell.split('\n').length - 1;
        if (at < source.length && ![delimiter, '\r', '\n'].includes(source[at]!)) throw new ProblemError(400, `Line ${line}: something follows the closing quotation mark of a cell. Quotation marks inside a cell are doubled.`);
      } else {
        const from = at;
        while (at < source.length && source[at] !== delimiter && source[at] !== '\n' && source[at] !== '\r') at++;
        cell = source.slice(from, at);
      }
      row.cells.push(cell);
      more = source[at] === delimiter;
      if (more) at++;
    }
    if (source[at] === '\r') at++;
    if (source[at] === '\n') at++;
    line++;
    if (row.cells.some((cell) => cell !== '')) yield row;
  }
}

function delimiterOf(source: string): string {
  const header = source.slice(0, /[\r\n]/.exec(source)?.index ?? source.length);
  return [',', ';', '\t'].map((delimiter) => ({ delimiter, count: header.split(delimiter).length })).sort((a, b) => b.count - a.count)[0]!.delimiter;
}
