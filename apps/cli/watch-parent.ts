import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type ApiClient } from '#lib/client/api-client';
import { isFinished } from '#lib/contracts/values/jobs';
import type { Job } from '#lib/contracts/job';
import { openStatusArea, printError } from './output/terminal.js';

const POLL_MS = 1000;
/** The share of a watch's time that reading may take: a tune may have thousands of arms. */
const READING_SHARE = 0.1;
/** Without a terminal, progress is logged each time this share of the total has been added. */
const LOGGED_SHARE = 0.1;

/** How a parent job is watched. A `View` is everything that its screen shows. */
export interface WatchedJob<View> {
  read(): Promise<View>;
  /** Lines for a terminal, redrawn repeatedly. */
  draw(view: View, job: Job, columns: number, rows: number): string[];
  /** What is new since the last call, if there is no terminal; without this method, the progress. */
  news?(view: View, isOver: boolean): string[];
}

/** Follows a parent job to its end: redrawn on a terminal, otherwise line by line. */
export async function watchParent<View>(
  client: ApiClient,
  jobId: string,
  { read, draw, news }: WatchedJob<View>,
  { silent }: { silent: boolean },
): Promise<View> {
  const area = silent ? undefined : openStatusArea();
  const log = (...lines: string[]): void => (silent ? undefined : printError(...lines));
  const patiently = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    retryWhileUnavailable(ask, (text) => {
      area?.clear();
      log(text);
    });
  const progressOf = progressNews();
  let view: View | undefined;
  let seen = '';
  let readAgainAt = 0;
  for (;;) {
    const job = await patiently(() => client.job(jobId));
    if (isFinished(job.status)) break;
    const state = `${job.progress.done}/${job.progress.total}`;
    if (!silent && (area ?? news) && state !== seen && performance.now() >= readAgainAt) {
      const before = performance.now();
      view = await patiently(read);
      readAgainAt = performance.now() + (performance.now() - before) / READING_SHARE;
      seen = state;
    }
    const shown = view;
    if (area) area.show((columns, rows) => (shown === undefined ? [] : draw(shown, job, columns, rows)));
    else if (!news) log(...progressOf(job));
    else if (shown !== undefined) log(...news(shown, false));
    await delay(POLL_MS);
  }
  const end = await patiently(read);
  if (area) area.clear();
  else if (news) log(...news(end, true));
  return end;
}

function progressNews(): (job: Job) => string[] {
  let logged = 0;
  return ({ progress: { done, total, errored } }) => {
    if (total === 0 || done === 0 || done - logged < total * LOGGED_SHARE) return [];
    logged = done;
    return [`${done} of ${total} requests done${errored > 0 ? `, ${errored} errored` : ''}`];
  };
}

const RETRY_EVERY_MS = 1000;
/**
 * A server may be restarting. Some work takes hours, so watching it tolerates a longer outage than a live connection.
 */
const MAX_OUTAGE_MS = 120_000;

/**
 * Retries while the server is unreachable or cannot answer.
 * @param note called once, at the first retry
 */
async function retryWhileUnavailable<Answer>(
  ask: () => Promise<Answer>,
  note: (text: string) => void,
): Promise<Answer> {
  const until = performance.now() + MAX_OUTAGE_MS;
  for (let asked = 0; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || performance.now() > until) throw error;
      if (asked === 0) note('The server does not answer. Retrying.');
    }
    await delay(RETRY_EVERY_MS);
  }
}

const isTransient = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.problem.status >= 500 || error.problem.status === 429;
