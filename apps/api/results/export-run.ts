import type { Run } from '#lib/contracts/run';
import type { PageQuery } from '#lib/contracts/page';
import type { ResultList } from '#lib/db/read/result-lists';
import { inPieces } from '../platform/answer-memory.js';
import type { ResultWriter, WriterOptions } from './result-writer.js';
import { csvWriter } from './csv.js';
import { junitWriter } from './junit.js';
import { RUN_EXPORT_FORMATS } from '#lib/contracts/values/runs';

export type ExportFormat = (typeof RUN_EXPORT_FORMATS)[number];
export const EXPORT_FILES: Record<ExportFormat, { type: string; extension: string }> = {
  json: { type: 'application/json; charset=utf-8', extension: 'json' },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', extension: 'jsonl' },
  csv: { type: 'text/csv; charset=utf-8', extension: 'csv' },
  junit: { type: 'application/xml; charset=utf-8', extension: 'xml' },
};
const PAGE_SIZE = 500;

const WRITERS: Record<ExportFormat, (run: Run, how: WriterOptions) => ResultWriter> = {
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

export type ExportOptions = Pick<WriterOptions, 'hasMark' | 'hasEnd'> & { format: ExportFormat };
/** The format and options of an export. */
export type FileOptions = WriterOptions & { format: ExportFormat };

export const writerOf = (run: Run, { format, ...how }: FileOptions): ResultWriter => WRITERS[format](run, how);

export const fileOptionsOf = (how: ExportOptions, list: ResultList): FileOptions => ({
  ...how,
  isWhole: filterOf(list).length === 0,
});

/** A written page of an export. */
interface WrittenPage {
  parts: readonly Uint8Array[];
  count: number;
  cursor: string | null;
}

/** Writes a run with its results, optionally filtered, page by page: memory does not grow with the run. */
export async function* exportRun(
  run: Run,
  as: FileOptions,
  readPage: (page: PageQuery, isFirst: boolean) => Promise<WrittenPage>,
): AsyncGenerator<Uint8Array> {
  const { head, foot } = writerOf(run, as);
  if (head) yield Buffer.from(head);
  let cursor: string | undefined;
  let count = 0;
  do {
    const page = await readPage({ limit: PAGE_SIZE, cursor }, count === 0);
    count += page.count;
    yield* inPieces(page.parts);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  const end = foot(count);
  if (end) yield Buffer.from(end);
}

/** The filter parameters of a request. */
const filterOf = ({ order: _order, lean: _lean, rescore_id: _rescore, ...filter }: ResultList): [string, unknown][] =>
  Object.entries(filter).filter(([, asked]) => asked !== undefined);

const MAX_FILE_NAME = 150;
/** The file name describes the request, in characters that every system accepts. */
export function exportName(runId: string, format: ExportFormat, list: ResultList): string {
  const asked = filterOf(list).map(([name, value]) => [name, ...[value].flat()].join('-'));
  const words = [`toolmark-${runId}`, ...asked].map((part) => part.replace(/[^\w.]+/g, '-'));
  return `${words.join('_').slice(0, MAX_FILE_NAME)}.${EXPORT_FILES[format].extension}`;
}
