import type { ApiClient } from '#lib/client/api-client';
import type { Result } from '#lib/contracts/result';
import { NegativeAnswer } from '../exit-codes.js';
import { queryOf } from '../query.js';
import { isIdPrefix, isWholeId, startsWithId } from './match.js';

/** Selects one of the results of a case. */
export interface ResultChoice {
  model?: string;
  /** From 0. */
  sample?: number;
}

const RESULT_ID = /^\d+-\d+-\d+$/;
/** Maximum number of results that are searched for a name. */
const MAX_READ = 20_000;
const MAX_LISTED = 20;

/** The id of a result by its id, or by the name, the id or an id prefix of its case. */
export async function findResult(
  client: ApiClient,
  runId: string,
  wanted: string,
  { model, sample }: ResultChoice,
): Promise<string> {
  if (RESULT_ID.test(wanted)) return wanted;
  const caseId = isWholeId(wanted) ? wanted.toLowerCase() : undefined;
  const query = queryOf({ order: 'case', lean: true, model, case_id: caseId });
  const found: Result[] = [];
  let read = 0;
  for await (const result of client.results(runId, `?${query}`)) {
    if (isOfCase(result, wanted) && (sample === undefined || result.sample === sample)) found.push(result);
    if (++read >= MAX_READ) break;
  }
  const [first, ...others] = found;
  const named = `"${wanted}"${model === undefined ? '' : ` by the model "${model}"`}`;
  if (!first) {
    const where = read < MAX_READ ? '' : ` among its first ${MAX_READ.toLocaleString('en')} results`;
    throw new NegativeAnswer(
      `The run has no result of a case ${named}${sample === undefined ? '' : `, sample ${sample}`}${where}. ` +
        `List its results with: toolmark results ${runId}`,
    );
  }
  if (others.length === 0) return first.id;
  throw new NegativeAnswer(
    `${found.length} results belong to the case ${named}. Give --model and --sample, or the id of one:`,
    found.slice(0, MAX_LISTED).map((one) => `${one.id} (${one.target}, sample ${one.sample}, ${verdictOf(one)})`),
  );
}

const isOfCase = ({ case_id: id, case_name: name }: Result, wanted: string): boolean =>
  name?.toLowerCase() === wanted.toLowerCase() || (isIdPrefix(wanted) && startsWithId(id, wanted));

const verdictOf = ({ passed, outcome }: Result): string =>
  passed ? 'passed' : outcome === 'errored' ? 'errored' : 'failed';
