import type { Redis } from 'ioredis';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { Summary } from '#lib/contracts/summary';
import { targetName } from '#lib/contracts/target-name';
import { withLease } from '#lib/db/connection/lease';
import type { Pool } from '#lib/db/connection/pool';
import {
  finishRescore,
  storeRescored,
  readExchanges,
  type RescoredItem,
  type RescoreToContinue,
  type StoredExchange,
} from '#lib/db/engine/rescore-run';
import { resultsOfTarget } from '#lib/db/read/for-workers/results-of-target';
import { notify } from '#lib/events/notifications';
import { ProviderFailure } from '#lib/providers/failure';
import type { Logger } from '#lib/runtime/logger';
import { Semaphore } from '#lib/runtime/semaphore';
import { withRescoreOptions } from '#lib/scoring/cases/rescore-options';
import { SummaryBuilder } from '#lib/scoring/statistics/summarise';
import type { Embedder } from '../embeddings/embedder.js';
import type { ReadExchange } from '../scoring/exchange.js';
import { unpackExchange } from '../items/exchange/pack-exchange.js';
import type { CachedRun, RunCache } from '../items/run-cache.js';
import { prepare, type PreparedCase } from '../scoring/prepare-case.js';
import { Unscorable, type ReplyScorer } from '../scoring/score-reply.js';

/** Small enough that a page of the costliest replies still finishes within the time limit of a page. */
const PAGE_SIZE = 50;
/** A page may wait for an embedding model and for threads. Results up to this limit are kept. */
const MAX_PAGE_MS = 120_000;

const REPLIES_DELETED =
  'The replies of this run are no longer kept, so they cannot be scored again. Submit the run again.';

/**
 * Scores the stored replies of runs again, page by page, without asking a model. Each page is stored in the commit that
 * advances the rescore, so that after a crash at most one page is repeated and nothing is stored twice.
 */
export class Rescorer {
  constructor(
    readonly deps: {
      pool: Pool;
      redis: Redis;
      runs: RunCache;
      embedder: Embedder;
      scorer: ReplyScorer;
      logger: Logger;
      onMoreToDo: () => void;
    },
  ) {}

  /** Scores the next page. */
  async rescore(rescore: RescoreToContinue, stop: AbortSignal): Promise<void> {
    const { pool, redis, onMoreToDo } = this.deps;
    await withLease(pool, `rescore ${rescore.id}`, async (lost) => {
      const signal = AbortSignal.any([stop, lost, AbortSignal.timeout(MAX_PAGE_MS)]);
      if (await this.#nextPage(rescore, signal)) onMoreToDo();
      await notify(redis, { topic: 'job', id: rescore.jobId });
    });
  }

  /** @returns whether there may be more to do */
  async #nextPage(rescore: RescoreToContinue, signal: AbortSignal): Promise<boolean> {
    const { pool, runs } = this.deps;
    const cached = await runs.run(rescore.runId);
    if (!cached) return false;
    const page = await readExchanges(pool, rescore.runId, rescore.next, PAGE_SIZE);
    const end = async (how: Parameters<typeof finishRescore>[2]): Promise<false> => {
      await finishRescore(pool, rescore, how);
      return false;
    };
    if (page.length === 0) return end({ summaries: await summarise(pool, cached, rescore) });
    if (page.some((row) => row.exchange === undefined)) return end({ error: REPLIES_DELETED });
    try {
      return await storeRescored(pool, rescore, await this.#scorePage(page, cached, rescore, signal));
    } catch (error) {
      if (error instanceof ProviderFailure) return end({ error: error.message });
      throw error;
    }
  }

  async #scorePage(
    page: readonly StoredExchange[],
    cached: CachedRun,
    rescore: RescoreToContinue,
    signal: AbortSignal,
  ): Promise<RescoredItem[]> {
    const cases = new Map<number, PreparedCase>();
    const caseAt = async (position: number): Promise<PreparedCase> => {
      const prepared = cases.get(position) ?? (await prepareAgain(cached, position, rescore.options));
      cases.set(position, prepared);
      return prepared;
    };
    const largeOnesInTurn = new Semaphore(1);
    return Promise.all(
      page.map(async ({ exchange, ...place }): Promise<RescoredItem> => {
        if (exchange!.length === 0) return { ...place, scored: undefined };
        const scored = unpackExchange<RescoredItem['scored']>(
          exchange!,
          {
            whenFree: (work) => largeOnesInTurn.run(work),
            read: (packed) => this.deps.scorer.readExchange(packed, { share: rescore.teamId, signal }),
          },
          async (stored) => this.#score(stored, () => caseAt(place.casePosition), cached, rescore, signal),
        );
        return { ...place, scored: await scored.catch((error) => this.#leaveOut(error, rescore, place, signal)) };
      }),
    );
  }

  async #score(
    { replies }: ReadExchange,
    prepared: () => Promise<PreparedCase>,
    { run: { teamId } }: CachedRun,
    { options }: RescoreToContinue,
    signal: AbortSignal,
  ): Promise<RescoredItem['scored']> {
    if (!replies) return undefined;
    const similarity = (a: string, b: string) => this.deps.embedder.similarity(teamId, a, b, signal);
    return this.deps.scorer.score(await prepared(), replies, options.metrics, { share: teamId, signal, similarity });
  }

  /** An item that cannot be scored is left without a verdict and does not stop the others. */
  #leaveOut(error: unknown, { runId }: RescoreToContinue, place: object, signal: AbortSignal): undefined {
    if (error instanceof ProviderFailure || signal.aborted) throw error;
    if (error instanceof Unscorable) return; // Already logged.
    const { message, stack } = error as Error;
    this.deps.logger.error(
      { run: runId, ...place, error: message, stack },
      'A stored reply could not be scored again; it stays without a verdict',
    );
  }
}

async function prepareAgain(cached: CachedRun, position: number, options: RescoreOptions): Promise<PreparedCase> {
  const { suite } = cached.run;
  const { input, category } = await cached.caseAt(position);
  return prepare(
    withRescoreOptions(input, options),
    category,
    suite.tools,
    options.pass_threshold ?? suite.passThreshold,
  );
}

async function summarise(pool: Pool, { run }: CachedRun, rescore: RescoreToContinue): Promise<Summary[]> {
  const summaries: Summary[] = [];
  for (const target of run.targets) {
    const summary = new SummaryBuilder();
    for await (const page of resultsOfTarget(pool, run.id, target.ordinal, { rescoreId: rescore.id })) {
      for (const item of page) summary.add(item);
    }
    summaries.push({ ...summary.finish(), target: targetName(target) });
  }
  return summaries;
}
