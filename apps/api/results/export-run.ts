import type { ResultWriter, WrittenHow } from './result-writer.js';
import type { Run } from '#lib/contracts/run';
import type { ResultList, ResultLists } from '#lib/db/read/result-lists';
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

const WRITERS: Record<ExportFormat, (run: Run, how: WrittenHow) => ResultWriter> = {
  json: (run) => ({
    head: `{"run":${JSON.stringify(run)},"results":[`,
    write: (result, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(result)}`,
    foot: () => '\n]}\n',
  }),
  jsonl: (_run, { hasEnd }) => ({
    head: '',
    write: (result) => `${JSON.stringify(result)}\n`,
    foot: (results) => (hasEnd ? `${JSON.stringify({ end: true, results })}\n` : ''),
  }),
  csv: csvWriter,
  junit: junitWriter,
};

export type ExportedHow = Pick<WrittenHow, 'hasMark' | 'hasEnd'> & { format: ExportFormat };

/** A run with its results, or those that a filter leaves, written page by page: memory does not grow with the run. */
export async function* exportRun(
  results: ResultLists,
  run: Run,
  { format, ...how }: ExportedHow,
  list: ResultList,
): AsyncGenerator<string> {
  const { head, write, foot } = WRITERS[format](run, { ...how, isWhole: filterOf(list).length === 0 });
  if (head) yield head;
  let cursor: string | undefined;
  let count = 0;
  do {
    const page = await results.list(run.id, list, { limit: PAGE_SIZE, cursor });
    for (const result of page.items) {
      yield write(result, count === 0);
      count++;
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  yield foot(count);
}

/** What a filter asks for. */
const filterOf = ({ order: _order, lean: _lean, rescore_id: _rescore, ...filter }: ResultList): [string, unknown][] =>
  Object.entries(filter).filter(([, asked]) => asked !== undefined);

const MAX_FILE_NAME = 150;
/** The name of the file says what was asked for, in characters that every system takes. */
export function exportName(runId: string, format: ExportFormat, list: ResultList): string {
  const asked = filterOf(list).map(([name, value]) => [name, ...[value].flat()].join('-'));
  const words = [`toolmark-${runId}`, ...asked].map((part) => part.replace(/[^\w.]+/g, '-'));
  return `${words.join('_').slice(0, MAX_FILE_NAME)}.${EXPORT_FILES[format].extension}`;
}
