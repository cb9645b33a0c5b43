import type { ResultWriter } from './result-writer.js';
import type { Run } from '#lib/contracts/run';
import type { ResultLists } from '#lib/db/read/result-lists';
import { csvWriter } from './csv.js';
import { junitWriter } from './junit.js';

export const EXPORT_FORMATS = ['json', 'jsonl', 'csv', 'junit'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const EXPORT_FILES: Record<ExportFormat, { type: string; extension: string }> = {
  json: { type: 'application/json; charset=utf-8', extension: 'json' },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', extension: 'jsonl' },
  csv: { type: 'text/csv; charset=utf-8', extension: 'csv' },
  junit: { type: 'application/xml; charset=utf-8', extension: 'xml' },
};
const PAGE_SIZE = 500;

const WRITERS: Record<ExportFormat, (run: Run) => ResultWriter> = {
  json: (run) => ({
    head: `{"run":${JSON.stringify(run)},"results":[`,
    write: (result, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(result)}`,
    foot: '\n]}\n',
  }),
  jsonl: () => ({ head: '', write: (result) => `${JSON.stringify(result)}\n`, foot: '' }),
  csv: csvWriter,
  junit: junitWriter,
};

/** A run with all its results, written page by page: memory does not grow with the run. */
export async function* exportRun(
  results: ResultLists,
  run: Run,
  format: ExportFormat,
  rescoreId?: string,
): AsyncGenerator<string> {
  const { head, write, foot } = WRITERS[format](run);
  if (head) yield head;
  let cursor: string | undefined;
  let isFirst = true;
  do {
    const page = await results.list(run.id, { rescore_id: rescoreId }, { limit: PAGE_SIZE, cursor });
    for (const result of page.items) {
      yield write(result, isFirst);
      isFirst = false;
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  if (foot) yield foot;
}
