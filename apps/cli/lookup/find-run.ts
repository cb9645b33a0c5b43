import { ApiError, type ApiClient } from '#lib/client/api-client';
import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { ORCHESTRATION_TYPES } from '#lib/contracts/values/jobs';
import { NegativeAnswer } from '../exit-codes.js';
import { isIdPrefix, isWholeId, startsWithId } from './match.js';

/** Types of jobs that create runs and are not runs themselves. */
const PARENTS: readonly Job['type'][] = ORCHESTRATION_TYPES;

/** Finds a run by its id, the id of its job, or a prefix of either. */
export async function findRun(client: ApiClient, id: string): Promise<Run> {
  if (isWholeId(id)) {
    const run = await client.run(id).catch(undefinedIfNotFound);
    if (run) return run;
    const job = await client.job(id).catch(undefinedIfNotFound);
    if (job) return client.run(runIdOf(job) ?? rejectJob(job));
    throw notFound(id);
  }
  const { runs, jobs } = await findByPrefix(client, id);
  const byRunId = new Map(runs.map((run) => [run.id, describeRun(run)]));
  for (const job of jobs) {
    const runId = runIdOf(job);
    if (runId !== null && !byRunId.has(runId)) byRunId.set(runId, `the run of ${describeJob(job)}`);
  }
  if (byRunId.size === 0 && jobs.length > 0) rejectJob(jobs[0]!);
  return client.run(onlyId(id, byRunId, 'runs'));
}

/** Finds a job by its id, the id of its run, or a prefix of either; for a run, its newest job. */
export async function findJob(client: ApiClient, id: string): Promise<string> {
  if (isWholeId(id)) {
    if (await client.job(id).catch(undefinedIfNotFound)) return id;
    const run = await client.run(id).catch(undefinedIfNotFound);
    if (run) return run.job_id;
    throw notFound(id);
  }
  const { runs, jobs } = await findByPrefix(client, id);
  const ofOtherRuns = jobs.filter((job) => !runs.some((run) => run.id === runIdOf(job)));
  const byJobId = new Map([
    ...runs.map((run) => [run.job_id, `the job of ${describeRun(run)}`] as const),
    ...ofOtherRuns.map((job) => [job.id, describeJob(job)] as const),
  ]);
  return onlyId(id, byJobId, 'jobs');
}

/** The job of a gate run, a tune or a judge report by its id or an id prefix; undefined if none matches. */
export async function findParentJob(client: ApiClient, id: string): Promise<Job | undefined> {
  const isParent = (job: Job | undefined): boolean => job !== undefined && PARENTS.includes(job.type);
  if (isWholeId(id)) {
    const job = await client.job(id).catch(undefinedIfNotFound);
    return isParent(job) ? job : undefined;
  }
  const { runs, jobs } = await findByPrefix(client, id);
  const [job, ...others] = jobs;
  return runs.length + others.length === 0 && isParent(job) ? job : undefined;
}

const runIdOf = ({ type, result_ref: made }: Job): string | null => (type === 'tool_eval' ? made : null);
const describeRun = ({ id, suite, status, created_at: at }: Run): string => `${id} (${suite.name}, ${status}, ${at})`;
const describeJob = ({ id, type, status, created_at: at }: Job): string => `${id} (${type}, ${status}, ${at})`;

function rejectJob({ id, type }: Job): never {
  throw new NegativeAnswer(`Job ${id} is not a run; it is a ${type}.`);
}

const notFound = (id: string): NegativeAnswer =>
  new NegativeAnswer(`No run or job has the id "${id}". List them with: toolmark history, toolmark jobs`);

/** The single id that was found. @throws NegativeAnswer that lists the candidates when there are several */
function onlyId(prefix: string, found: ReadonlyMap<string, string>, what: string): string {
  const [first, ...others] = found.keys();
  if (first === undefined) throw notFound(prefix);
  if (others.length === 0) return first;
  throw new NegativeAnswer(`${found.size} ${what} begin with "${prefix}". Use a longer prefix:`, [...found.values()]);
}

const PAGE = 200;
/** Maximum number of pages of runs, and of jobs, that are searched for a prefix. */
const MAX_PAGES = 10;

async function findByPrefix(client: ApiClient, prefix: string): Promise<{ runs: Run[]; jobs: Job[] }> {
  if (!isIdPrefix(prefix)) throw notFound(prefix);
  const [runs, jobs] = await Promise.all([
    newestWithPrefix<Run>(client, '/api/tool-eval/history', prefix),
    newestWithPrefix<Job>(client, '/api/jobs', prefix),
  ]);
  return { runs, jobs };
}

/** Ids begin with their creation time, so the search ends at the first id that is smaller than the prefix. */
export async function newestWithPrefix<Item extends { id: string }>(
  client: ApiClient,
  path: string,
  prefix: string,
  isMeant = ({ id }: Item): boolean => startsWithId(id, prefix),
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && cursor !== null; page++) {
    const { items, next_cursor }: { items: Item[]; next_cursor: string | null } = await client.page(path, PAGE, cursor);
    found.push(...items.filter(isMeant));
    const oldest = items.at(-1);
    cursor = oldest && oldest.id > prefix.toLowerCase() ? next_cursor : null;
  }
  return found;
}

/** Turns the 404 of an id that does not exist into undefined. */
export function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof ApiError && error.problem.status === 404) return undefined;
  throw error;
}
