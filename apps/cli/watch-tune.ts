import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '#lib/client/api-client';
import { isFinished } from '#lib/contracts/job-status';
import type { Job } from '#lib/contracts/job';
import { askPatiently } from './ask-patiently.js';
import { openStatusArea, printError } from './output/terminal.js';

const POLL_MS = 1000;
/** Of the time of a watch, the share that reading its parts may take: there may be thousands. */
const READING_SHARE = 0.1;

/** How a kind of tunes is watched. `Part` is what it tries: arms, or candidates. */
export interface Watched<Tune, Part> {
  tune(id: string): Promise<Tune>;
  parts(id: string): Promise<Part[]>;
  /** Lines for a terminal, to be drawn again and again. */
  draw(view: { tune: Tune; parts: readonly Part[]; job: Job }, columns: number, rows: number): string[];
  /** What there is to say where there is no terminal, that was not said before. */
  news(tune: Tune, parts: readonly Part[], isOver: boolean): string[];
}

/** Follows a tune to its end: drawn on a terminal, and elsewhere line by line. */
export async function watchTune<Tune extends { step: string }, Part>(
  client: ApiClient,
  { job_id: jobId, tune_id: tuneId }: { job_id: string; tune_id: string },
  watched: Watched<Tune, Part>,
  { silent }: { silent: boolean },
): Promise<{ tune: Tune; parts: Part[] }> {
  const screen = silent ? undefined : new TuneScreen(watched);
  const patiently = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    askPatiently(ask, (text) => screen?.note(text));
  let parts: Part[] = [];
  let seen = '';
  let readAgainAt = 0;
  for (;;) {
    const job = await patiently(() => client.job(jobId));
    const tune = await patiently(() => watched.tune(tuneId));
    const isOver = isFinished(job.status);
    const state = `${job.progress.done} ${tune.step}`;
    if (isOver || (screen && state !== seen && performance.now() >= readAgainAt)) {
      const before = performance.now();
      parts = await patiently(() => watched.parts(tuneId));
      readAgainAt = performance.now() + (performance.now() - before) / READING_SHARE;
      seen = state;
    }
    if (isOver) {
      screen?.end(tune, parts);
      return { tune, parts };
    }
    screen?.show({ tune, parts, job });
    await delay(POLL_MS);
  }
}

/** Where a watch shows what is tried: in a status area, or line by line. */
class TuneScreen<Tune, Part> {
  readonly #area = openStatusArea();

  constructor(private readonly watched: Watched<Tune, Part>) {}

  show(view: { tune: Tune; parts: readonly Part[]; job: Job }): void {
    if (this.#area) this.#area.show((columns, rows) => this.watched.draw(view, columns, rows));
    else printError(...this.watched.news(view.tune, view.parts, false));
  }

  end(tune: Tune, parts: readonly Part[]): void {
    if (this.#area) this.#area.clear();
    else printError(...this.watched.news(tune, parts, true));
  }

  note(text: string): void {
    this.#area?.clear();
    printError(text);
  }
}
