import { queryOptions, type QueryFunctionContext } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Submitted } from '#lib/client/api-client';
import type { Estimate } from '#lib/contracts/estimate';
import type { JobStatus } from '#lib/contracts/job-status';
import type { JsonObject } from '#lib/contracts/json/json';
import type { View } from '#lib/contracts/kept';
import type { MetricInfo } from '#lib/contracts/metric';
import type { Page } from '#lib/contracts/page';
import type { Ranking } from '#lib/contracts/ranking';
import type { Rescore as RescoreSchema, RescoreSubmitted as SubmittedSchema } from '#lib/contracts/rescore';
import type { Run } from '#lib/contracts/run';
import type {
  Confusion,
  Counting,
  DrawnResults as DrawnSchema,
  FailureGroups,
  RunCases,
  RunFacets,
} from '#lib/contracts/run-facets';
import type { ViewList } from '#lib/contracts/values/kept';
import type { Result } from '#lib/contracts/result';
import type { ErrorType } from '#lib/contracts/verdict';
import type { Sent } from '../../api/action';
import { client, estimateQuery, pathWith, read, readQuery, statusOf } from '../../api/client';
import { keys } from '../../api/keys';
import { dayStart, STATUS_FILTERS, type MatrixSearch, type RunsSearch } from './address';

export type Rescore = z.infer<typeof RescoreSchema>;

const HISTORY = '/api/tool-eval/history';
const pathOf = (id: string): string => `${HISTORY}/${encodeURIComponent(id)}`;

export interface RunFilter {
  suite?: string;
  statuses?: readonly JobStatus[];
  model?: string;
  /** Part of the name, the note or the suite. */
  q?: string;
  cursor?: string;
  limit?: number;
}

/** How long after its end a run may not be compared yet, and how often to look. */
const [SOON_MS, LOOK_MS] = [20_000, 1500];
const isNotComparedYet = ({ against, finished_at: at }: Run): boolean =>
  against === null && at !== null && Date.now() - Date.parse(at) < SOON_MS;

export const runsQuery = ({ suite, statuses, limit = 50, ...same }: RunFilter) =>
  queryOptions({
    ...readQuery<Page<Run>>(keys.runLists, pathWith(HISTORY, { limit, suite_id: suite, status: statuses, ...same })),
    refetchInterval: ({ state }) => (state.data?.items.some(isNotComparedYet) ? LOOK_MS : false),
  });

/** The newest run of a suite, if it has one. */
export const newestRunQuery = (suite: string) => runsQuery({ suite, limit: 1 });

export const viewPath = (list: ViewList): string => `/api/me/views/${list}`;

/** The reader's own view of a list. It changes only with `keepView`. */
export const viewQuery = (list: ViewList) => ({ ...readQuery<View>(keys.views, viewPath(list)), staleTime: Infinity });

/** The run list at an address. */
export const listedRunsQuery = ({ suite, after, status, from, to, experiment, ticked: _ticked, ...same }: RunsSearch) =>
  readQuery<Page<Run>>(
    keys.runLists,
    pathWith(HISTORY, {
      limit: 50,
      ...same,
      suite_id: suite,
      experiment_id: experiment,
      status: status && STATUS_FILTERS[status][1],
      from: from && dayStart(from),
      to: to && dayStart(to, 1),
      cursor: after,
    }),
  );

export const runQuery = (id: string) =>
  queryOptions({
    ...readQuery<Run>(keys.run(id), pathOf(id)),
    refetchInterval: ({ state }) => (state.data && isNotComparedYet(state.data) ? LOOK_MS : false),
  });

/** The run with its cost at today's prices. */
export const currentCostQuery = (id: string) => readQuery<Run>(keys.run(id), `${pathOf(id)}?prices=current`);

export const rankingQuery = (id: string) => readQuery<Ranking>(keys.run(id), `${pathOf(id)}/ranking`);

/** @param body the text of a RunInput; undefined while there is nothing to estimate */
export const runEstimateQuery = (body: string | undefined) =>
  estimateQuery<Estimate>(keys.runs, '/api/tool-eval/estimate', body);

export const submitRun = (body: string, options: Sent) =>
  client.call<Submitted>('POST', '/api/tool-eval', body, options);
export const resumeRun = (id: string, options: Sent) =>
  client.call<Submitted>('POST', `${pathOf(id)}/resume`, {}, options);
export interface AddedSamples {
  id: string;
  samples: number;
}
export const addSamples = ({ id, samples }: AddedSamples, options: Sent) =>
  client.call<Submitted>('POST', `${pathOf(id)}/samples`, { samples }, options);
export const archiveRun = ({ id, archived }: { id: string; archived: boolean }, options: Sent) =>
  client.call<void>('PATCH', `/api/me/marks/run/${encodeURIComponent(id)}`, { archived }, options);
export const deleteRun = (id: string, options: Sent) => client.call<void>('DELETE', pathOf(id), undefined, options);

export interface Labels {
  name: string | null;
  note: string | null;
}
export const labelRun = (id: string, labels: Labels, options: Sent) =>
  client.call<Run>('PATCH', pathOf(id), labels, options);

/** The meaning of each metric. It changes only with a release. */
export const metricsQuery = {
  ...readQuery<Page<z.infer<typeof MetricInfo>>>(keys.metrics, '/api/metrics'),
  staleTime: Infinity,
};

// Figures that are counted once, when the run has ended. `rescore` selects whose verdicts are counted; undefined for
// the run's own.

/** Polling interval while figures are still being counted, and while a rescore is in progress: no event ends either. */
const POLL_MS = 1000;
/** Figures of an ended run do not change until it is resumed. */
const FRESH_MS = 60_000;

export const isCounting = (answer: object | undefined): answer is Counting =>
  answer !== undefined && 'status' in answer && answer.status === 'counting';

/**
 * Of a run that has not ended, figures count as not counted yet, so a screen may ask for both at once. A rescore that
 * has none says why: it may have failed.
 */
const readCounted =
  <Figures extends object>(path: string, isOfRescore: boolean) =>
  async (context: QueryFunctionContext): Promise<Figures | Counting> => {
    try {
      return await read<Figures | Counting>(path)(context);
    } catch (error) {
      if (statusOf(error) !== 409 || isOfRescore) throw error;
      return { status: 'counting' };
    }
  };

const countedQuery = <Figures extends object>(
  runId: string,
  path: string,
  search: Record<string, string | number | undefined>,
) => {
  const whole = pathWith(`${pathOf(runId)}/${path}`, search);
  return queryOptions({
    queryKey: [...keys.counted(runId), whole],
    queryFn: readCounted<Figures>(whole, search.rescore_id !== undefined),
    refetchInterval: ({ state }) => (isCounting(state.data) ? POLL_MS : false),
    staleTime: ({ state }) => (isCounting(state.data) ? 0 : FRESH_MS),
  });
};
export type CountedQuery<Figures extends object> = ReturnType<typeof countedQuery<Figures>>;

export const facetsQuery = (runId: string, rescore?: string) =>
  countedQuery<RunFacets>(runId, 'facets', { rescore_id: rescore });

/** @param target undefined for all models */
export const confusionQuery = (runId: string, target: string | undefined) =>
  countedQuery<Confusion>(runId, 'confusion', { target });

/** @param type undefined for all error types */
export const failureGroupsQuery = (runId: string, type?: ErrorType, rescore?: string) =>
  countedQuery<FailureGroups>(runId, 'failures', { error_type: type, rescore_id: rescore });

/** A random sample of a group's results. Same seed, same sample. */
export const drawQuery = (runId: string, group: string, seed: number, rescore?: string) =>
  countedQuery<z.infer<typeof DrawnSchema>>(runId, `failures/${encodeURIComponent(group)}/draw`, {
    seed,
    rescore_id: rescore,
  });

/** Cases that no model passed: the first ones. */
export const failedCasesQuery = (runId: string) =>
  countedQuery<RunCases>(runId, 'cases', { show: 'all_failed', limit: 50 });

export const CASES_A_PAGE = 100;
/** Cases of a run by model. @param page from 0 */
export const runCasesQuery = (runId: string, { show, order, category, tag, rescore }: MatrixSearch, page = 0) =>
  countedQuery<RunCases>(runId, 'cases', {
    show,
    order: order ?? 'disagreement',
    category,
    tag,
    rescore_id: rescore,
    compact: 'true',
    limit: CASES_A_PAGE,
    from: page * CASES_A_PAGE,
  });

const CELL_RESULTS = 3;
/** The first results of a model on a case. */
export const cellResultsQuery = (runId: string, caseId: string, target: string | undefined, rescore?: string) =>
  readQuery<Page<Result>>(
    keys.results(runId),
    pathWith(`${pathOf(runId)}/results`, {
      case_id: caseId,
      model: target,
      rescore_id: rescore,
      order: 'case',
      lean: true,
      limit: CELL_RESULTS,
    }),
  );

const RESCORES_SHOWN = 10;
const hasEnded = ({ status }: Rescore): boolean => status !== 'pending' && status !== 'queued' && status !== 'running';

/** The newest rescores of a run. They are polled while one is in progress. */
export const rescoresQuery = (runId: string) =>
  queryOptions({
    ...readQuery<Page<Rescore>>(keys.run(runId), pathWith(`${pathOf(runId)}/rescores`, { limit: RESCORES_SHOWN })),
    refetchInterval: ({ state }) => (state.data?.items.every(hasEnded) === false ? POLL_MS : false),
  });

export const rescoreRun = (runId: string, input: JsonObject, options: Sent) =>
  client.call<z.infer<typeof SubmittedSchema>>('POST', `${pathOf(runId)}/rescore`, JSON.stringify(input), options);

/** The API's format name, its label, and the file extension. */
export const EXPORT_FORMATS = [
  ['json', 'JSON', 'json'],
  ['jsonl', 'JSON Lines', 'jsonl'],
  ['csv', 'CSV', 'csv'],
  ['csv&bom=true', 'CSV for Excel', 'csv'],
  ['junit', 'JUnit XML', 'xml'],
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number][0];
export const exportPath = (id: string, format: ExportFormat): string => `${HISTORY}/${id}/export?format=${format}`;
