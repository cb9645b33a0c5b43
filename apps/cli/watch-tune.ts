import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type ApiClient } from '#lib/client/api-client';
import { isFinished, type Job } from '#lib/contracts/job';
import type { ParamTune, TuneArm } from '#lib/contracts/param-tune';
import { readArms, readTune } from './lookup/find-tune.js';
import { openStatusArea, printError, type StatusArea } from './output/terminal.js';
import { armNews } from './output/tune-lines.js';
import type { TuneReport } from './output/tune-report.js';
import { tuneScreen } from './output/tune-screen.js';

const POLL_MS = 1000;
/** A server may be restarting. A tune takes hours, so its watch waits for longer than one for a live connection. */
const PATIENCE_MS = 120_000;
/** Of the time of a watch, the share that reading its arms may take: there may be thousands. */
const READING_SHARE = 0.1;
/** An arm that is in one of these states is decided, or out. */
const TOLD: TuneArm['state'][] = ['dropped', 'finalist', 'recommended'];

/** Follows a tune to its end, with its best arms on a terminal, and elsewhere a line for each arm that is decided. */
export async function watchTune(
  client: ApiClient,
  { job_id: jobId, tune_id: tuneId }: { job_id: string; tune_id: string },
  { silent }: { silent: boolean },
): Promise<TuneReport> {
  const screen = silent ? undefined : new TuneScreen(openStatusArea());
  const patiently = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    askPatiently(ask, (text) => screen?.note(text));
  let arms: TuneArm[] = [];
  let seen = '';
  let readAgainAt = 0;
  for (;;) {
    const job = await patiently(() => client.job(jobId));
    const tune = await patiently(() => readTune(client, tuneId));
    const isOver = isFinished(job.status);
    const state = `${job.progress.done} ${tune.step}`;
    if (isOver || (screen && state !== seen && performance.now() >= readAgainAt)) {
      const before = performance.now();
      arms = await patiently(() => readArms(client, tuneId));
      readAgainAt = performance.now() + (performance.now() - before) / READING_SHARE;
      seen = state;
    }
    if (isOver) {
      screen?.end(arms);
      return { tune, arms };
    }
    screen?.show(job, tune, arms);
    await delay(POLL_MS);
  }
}

/** Asks again while the server cannot be reached or cannot answer. */
async function askPatiently<Answer>(ask: () => Promise<Answer>, note: (text: string) => void): Promise<Answer> {
  const until = performance.now() + PATIENCE_MS;
  for (let asked = 0; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error;
      if (asked === 0) note('The server does not answer. Asking again.');
    }
    await delay(POLL_MS);
  }
}

const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.problem.status >= 500 || error.problem.status === 429;

/** Where a watch shows its arms: in a status area, or line by line. */
class TuneScreen {
  readonly #told = new Map<string, TuneArm['state']>();

  constructor(private readonly area: StatusArea | undefined) {}

  show(job: Job, tune: ParamTune, arms: readonly TuneArm[]): void {
    if (this.area) this.area.show((columns, rows) => tuneScreen({ job, tune, arms }, columns, rows));
    else this.#tell(arms);
  }

  end(arms: readonly TuneArm[]): void {
    if (this.area) this.area.clear();
    else this.#tell(arms);
  }

  note(text: string): void {
    this.area?.clear();
    printError(text);
  }

  /** What has been decided since the last time. */
  #tell(arms: readonly TuneArm[]): void {
    for (const arm of arms) {
      const key = `${arm.arm} ${arm.target}`;
      if (!TOLD.includes(arm.state) || this.#told.get(key) === arm.state) continue;
      this.#told.set(key, arm.state);
      printError(armNews(arm));
    }
  }
}
