import type { CaseInput } from '#lib/contracts/case';
import type { SuiteExportFormat } from '#lib/contracts/import';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { SuiteSettings } from '#lib/contracts/suite';
import { createCsvWriter } from './files/csv-suite.js';
import { createBfclWriter, type BfclPart } from './bfcl/export-bfcl.js';
import { yieldToEventLoop } from '#lib/runtime/yield-to-event-loop';
import { yamlCase, yamlSettings } from './files/yaml-suite.js';

export const SUITE_CONTENT_TYPES: Record<SuiteExportFormat, { type: string; ending: string }> = {
  json: { type: 'application/json; charset=utf-8', ending: 'json' },
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv' },
  bfcl: { type: 'application/x-ndjson; charset=utf-8', ending: 'bfcl.jsonl' },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', ending: 'jsonl' },
  yaml: { type: 'application/yaml; charset=utf-8', ending: 'yaml' },
};

export interface SuiteToExport {
  settings: SuiteSettings;
  /** The JSON of each case, in order, in pages. */
  pages: AsyncIterable<readonly string[]> | Iterable<readonly string[]>;
  /** The fields that at least one case has. Only needed for tables, whose header names them. */
  usedFields: () => readonly string[] | Promise<readonly string[]>;
}

/** Options of an exported file. */
export interface SuiteFileForm {
  format: SuiteExportFormat;
  /** For BFCL. */
  part: BfclPart;
  /** Whether a CSV starts with a byte order mark. */
  bom: boolean;
}

/** Writes a suite in one of the formats while its cases are read. It holds at most one page of cases. */
export async function* exportSuite(
  { settings, pages, usedFields }: SuiteToExport,
  file: SuiteFileForm,
): AsyncGenerator<string> {
  const { before, write, after } = writerOf(settings, file, file.format === 'csv' ? await usedFields() : []);
  if (before) yield before;
  const turn = yieldToEventLoop();
  let isFirst = true;
  for await (const page of pages) {
    let text = '';
    for (const body of page) {
      text += write(body, isFirst);
      isFirst = false;
      await turn();
      if (text.length < MAX_PIECE_LENGTH) continue;
      yield text;
      text = '';
    }
    if (text) yield text;
  }
  if (after) yield after(isFirst);
}

/** A chunk is sent once it reaches this length, because a page of cases can include hundreds of mebibytes of tools. */
const MAX_PIECE_LENGTH = 2 ** 20;

interface Writer {
  before?: string;
  write: (body: string, isFirst: boolean) => string;
  after?: (isEmpty: boolean) => string;
}

function writerOf(
  settings: SuiteSettings,
  { format, part, bom }: SuiteFileForm,
  usedFields: readonly string[],
): Writer {
  switch (format) {
    // Cases are stored as the JSON to export.
    case 'json':
      return {
        before: `${JSON.stringify(settings).slice(0, -1)},"test_cases":[`,
        write: (body, isFirst) => (isFirst ? body : `,${body}`),
        after: () => ']}',
      };
    case 'jsonl':
      return { before: `${JSON.stringify({ suite: settings })}\n`, write: (body) => `${body}\n` };
    case 'bfcl': {
      const linesOf = createBfclWriter(settings.tools, part);
      return { write: (body) => linesOf(parseJson(body) as unknown as CaseInput) };
    }
    case 'csv': {
      const { header, rowOf } = createCsvWriter(settings, usedFields);
      return {
        before: `${bom ? '\ufeff' : ''}${header}`,
        write: (body) => rowOf(parseJson(body) as JsonObject),
        after: (isEmpty) => (isEmpty ? rowOf({}) : ''),
      };
    }
    case 'yaml':
      return {
        before: yamlSettings(settings),
        write: (body, isFirst) => (isFirst ? 'test_cases:\n' : '') + yamlCase(parseJson(body) as JsonObject),
        after: (isEmpty) => (isEmpty ? 'test_cases: []\n' : ''),
      };
  }
}
