import { CaseInput } from '#lib/contracts/case';
import { isObject, parseJson, unwrapNumbers, type Json, type JsonObject } from '#lib/contracts/json/json';
import { endWithPeriod, ProblemError } from '#lib/contracts/input/problem';
import type { SuiteSettings } from '#lib/contracts/suite';
import { readGivenTools, type SuiteDraft, type ImportSource } from '../source/import-source.js';
import { TextStream } from '../source/text-stream.js';
import { addInferredTools } from './jsonl-suite.js';
import { readCsv } from './read-csv.js';
import { yieldToEventLoop } from '#lib/runtime/yield-to-event-loop';
import type { Warnings } from '../source/warnings.js';

/** The columns that hold plain text. All others hold JSON. `tags` and `expected_tool` may be either. */
const TEXTS = new Set(['name', 'category', 'prompt', 'param_scoring', 'call_order', 'source']);
const FIELDS = Object.keys(CaseInput.shape);
const DEFAULT_COLUMNS = ['name', 'category', 'tags', 'prompt', 'expected_tool', 'expected_params'];
/** The column with the suite's settings as JSON, filled in the first row. */
const SUITE_COLUMN = 'suite';

export async function importCsv({ text, settings }: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  if (typeof text !== 'string' && !(text instanceof TextStream))
    throw new ProblemError(400, 'CSV is text: send it as text/csv, or as the "text" of a JSON object.');
  const rows = readCsv(text);
  const first = await rows.next();
  const header = first.done ? [] : first.value.cells.map((cell) => cell.trim().toLowerCase());
  const stranger = header.find((column) => column !== SUITE_COLUMN && !FIELDS.includes(column));
  const twice = header.find((column, index) => header.indexOf(column) !== index);
  if (stranger !== undefined || twice !== undefined || header.length === 0) {
    throw new ProblemError(
      400,
      `The first line must name the columns: ${[...FIELDS, SUITE_COLUMN].join(', ')}. ` +
        `${twice === undefined ? `"${stranger ?? ''}" is not one of them.` : `"${twice}" is listed twice.`}`,
    );
  }
  let own: JsonObject = {};
  const [cases, lines]: [JsonObject[], number[]] = [[], []];
  const turn = yieldToEventLoop();
  for await (const { line, cells } of rows) {
    if (cells.length > header.length)
      throw new ProblemError(
        400,
        `Line ${line} has ${cells.length} cells, but the first line names ${header.length} columns. ` +
          'Quote cells that contain a delimiter.',
      );
    const input: JsonObject = {};
    for (const [index, cell] of cells.entries()) {
      const column = header[index]!;
      if (cell === '') continue;
      const value = readCell(column, cell, line);
      if (column !== SUITE_COLUMN) input[column] = value;
      else if (isObject(value) && cases.length === 0) own = value;
      else
        throw new ProblemError(
          400,
          `Line ${line}: "${SUITE_COLUMN}" holds the suite's settings as JSON, in the first row alone.`,
        );
    }
    if (Object.keys(input).length) {
      cases.push(unwrapNumbers(input) as JsonObject);
      lines.push(line);
    }
    await turn();
  }
  return {
    suite: addInferredTools(
      { name: 'Imported cases', ...(unwrapNumbers(own) as JsonObject), ...settings, test_cases: cases },
      readGivenTools(settings).length > 0,
      warnings,
    ),
    lines,
  };
}

function readCell(column: string, cell: string, line: number): Json {
  const text = cell.replace(/^'(?='*[=+\-@\t\r])/, '');
  if (column === 'tags' && !text.startsWith('['))
    return text
      .split(';')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
  if (TEXTS.has(column) || (column === 'expected_tool' && /^[A-Za-z0-9_.-]+$/.test(text) && text !== 'null'))
    return unescaped(text);
  try {
    return parseJson(/^(true|false)$/i.test(text) ? text.toLowerCase() : text); // Spreadsheets write TRUE and FALSE.
  } catch (error) {
    throw new ProblemError(
      400,
      `Line ${line}: the cell "${column}" is not JSON: ${endWithPeriod((error as Error).message)} ` +
        'Nothing was imported.',
    );
  }
}

/** An empty cell means a missing field, so null and the empty string have their own escapes. */
function unescaped(text: string): string | null {
  if (text === '\\N') return null;
  if (text === '\\E') return '';
  return text.startsWith('\\\\') ? text.slice(1) : text;
}

/**
 * Returns the header of a table, and a function that writes its rows. Call it in order: the first row also contains the
 * settings.
 * @param used the fields that at least one case has
 */
export function createCsvWriter(
  settings: SuiteSettings,
  used: readonly string[],
): { header: string; rowOf: (input: JsonObject) => string } {
  const columns = [SUITE_COLUMN, ...FIELDS.filter((field) => DEFAULT_COLUMNS.includes(field) || used.includes(field))];
  let isFirst = true;
  const rowOf = (input: JsonObject): string => {
    const row: JsonObject = isFirst ? { ...input, [SUITE_COLUMN]: settings as unknown as Json } : input;
    isFirst = false;
    return `${columns.map((column) => cellOf(column, row[column])).join(',')}\r\n`;
  };
  return { header: `${columns.join(',')}\r\n`, rowOf };
}

const cellOf = (column: string, value: Json | undefined): string =>
  value === undefined ? '' : quoted(writeCell(column, value));

/** Tags in the plain form of a table, or as JSON if that would be ambiguous. */
export const tagsCell = (tags: readonly string[]): string =>
  tags.every((tag) => /^[^;[\s]([^;]*[^;\s])?$/.test(tag)) ? tags.join(';') : JSON.stringify(tags);

function writeCell(column: string, value: Json): string {
  if (column === 'tags' && Array.isArray(value) && value.length > 0 && value.every((tag) => typeof tag === 'string'))
    return tagsCell(value);
  if (column === 'expected_tool' && typeof value === 'string' && /^[A-Za-z0-9_.-]+$/.test(value) && value !== 'null')
    return value;
  if (!TEXTS.has(column)) return JSON.stringify(value);
  if (value === null) return '\\N';
  return value === '' ? '\\E' : (value as string).startsWith('\\') ? `\\${value as string}` : (value as string);
}

/**
 * Quotes a cell by RFC 4180. If a spreadsheet would treat the text as a formula, an apostrophe is prepended, which the
 * import removes.
 */
function quoted(text: string): string {
  const safe = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
