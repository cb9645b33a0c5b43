import { LRUCache } from 'lru-cache';
import type { CaseInput } from '#lib/contracts/case';
import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { Unmatched } from '#lib/contracts/rescore';
import type { Summary } from '#lib/contracts/summary';
import { targetName } from '#lib/contracts/target-name';
import { withLease } from '#lib/db/connection/lease';
import type { Pool } from '#lib/db/connection/pool';
import {
  finishRescore,
  nameUnmatched,
  readCasesInVersion,
  readVersionSettings,
  storeMatches,
  storeRescored,
  readExchanges,
  type RescoredItem,
  type RescoreToContinue,
  type StoredExchange,
} from '#lib/db/engine/rescore-run';
import { parseCase } from '#lib/db/read/pinned-cases';
import { resultsOfTarget } from '#lib/db/read/for-workers/results-of-target';
import { notify } from '#lib/events/notifications';
import { ProviderFailure } from '#lib/providers/failure';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';
import { Semaphore } from '#lib/runtime/semaphore';
import { mergeConversation } from '#lib/scoring/conversation/merge';
import { withRescoreOptions } from '#lib/scoring/cases/rescore-options';
import { endedTooEarly } from '#lib/scoring/house/score-chain';
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

type Rescored = Pick<RescoredItem, 'scored' | 'unmatched' | 'kept'>;
type VersionSettings = Awaited<ReturnType<typeof readVersionSettings>>;

interface ScoredCase {
  prepared: PreparedCase;
  /** The case as it ran, if the version has it in another form. */
  ran: CaseInput | undefined;
}

/**
 * Scores the stored replies of runs again, page by page, without asking a model. Each page is stored in the commit that
 * advances the rescore, so that after a crash at most one page is repeated and nothing is stored twice.
 */
export class Rescorer {
  /** Tools and thresholds of the versions that rescores score with. */
  readonly #versions = new LRUCache<string, VersionSettings>({ max: 20 });

  constructor(
    readonly deps: {
      pool: Pool;
      redis: Redis;
      runs: RunCache;
      comparing: Comparer;
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
    if (rescore.versionId !== null && !rescore.matched) return this.#match(rescore, rescore.versionId, signal);
    const page = await readExchanges(pool, rescore.runId, rescore.next, PAGE_SIZE);
    const end = async (how: Parameters<typeof finishRescore>[2]): Promise<false> => {
      await finishRescore(pool, rescore, how);
      return false;
    };
    if (page.length === 0) return end(await summarise(pool, cached, rescore));
    if (page.some((row) => row.exchange === undefined)) return end({ error: REPLIES_DELETED });
    try {
      return await storeRescored(pool, rescore, await this.#scorePage(page, cached, rescore, signal));
    } catch (error) {
      if (error instanceof ProviderFailure) return end({ error: error.message });
      throw error;
    }
  }

  /** Finds the cases of the run in the version. It may wait for the team's comparisons. */
  async #match(rescore: RescoreToContinue, versionId: string, signal: AbortSignal): Promise<boolean> {
    const { teamId, runId } = rescore;
    const task = { what: 'match-version', teamId, runId, versionId } as const;
    return storeMatches(this.deps.pool, rescore, await this.deps.comparing.run(task, signal));
  }

  async #scorePage(
    page: readonly StoredExchange[],
    cached: CachedRun,
    rescore: RescoreToContinue,
    signal: AbortSignal,
  ): Promise<RescoredItem[]> {
    const cases = await this.#casesOf(page, cached, rescore);
    const largeOnesInTurn = new Semaphore(1);
    return Promise.all(
      page.map(async ({ exchange, ...place }): Promise<RescoredItem> => {
        const scoring = await cases(place.casePosition);
        if (scoring === null) return { ...place, scored: undefined, unmatched: true };
        if (exchange!.length === 0) return { ...place, scored: undefined };
        const scored = unpackExchange<Rescored>(
          exchange!,
          {
            whenFree: (work) => largeOnesInTurn.run(work),
            read: (packed) => this.deps.scorer.readExchange(packed, { share: rescore.teamId, signal }),
          },
          async (stored) => this.#score(stored, scoring, cached, rescore, signal),
        );
        return { ...place, ...(await scored.catch((error) => this.#leaveOut(error, rescore, place, signal))) };
      }),
    );
  }

  /** The prepared case at a position of the run, compiled once for a page; null when the version does not have it. */
  async #casesOf(
    page: readonly StoredExchange[],
    cached: CachedRun,
    rescore: RescoreToContinue,
  ): Promise<(position: number) => Promise<ScoredCase | null>> {
    const { pool } = this.deps;
    const { suite } = cached.run;
    const positions = [...new Set(page.map(({ casePosition }) => casePosition))];
    const differing = rescore.versionId === null ? undefined : await readCasesInVersion(pool, rescore, positions);
    const settings = rescore.versionId === null ? suite : await this.#settingsOf(rescore.versionId);
    const prepareAgain = async (position: number): Promise<ScoredCase | null> => {
      const ran = await cached.caseAt(position);
      const inVersion = differing?.get(position);
      if (inVersion === null) return null;
      const { options } = rescore;
      const input = withRescoreOptions(
        inVersion ? versionOf(inVersion.body, settings.conversation, ran.input) : ran.input,
        options,
      );
      const threshold = options.pass_threshold ?? settings.passThreshold;
      return { prepared: prepare(input, ran.category, settings.tools, threshold), ran: inVersion && ran.input };
    };
    return memoizeBy(prepareAgain);
  }

  async #settingsOf(versionId: string): Promise<VersionSettings> {
    const known = this.#versions.get(versionId);
    if (known) return known;
    const settings = await readVersionSettings(this.deps.pool, versionId);
    this.#versions.set(versionId, settings);
    return settings;
  }

  async #score(
    { replies, conversation: played }: ReadExchange,
    { prepared, ran }: ScoredCase,
    { run: { teamId } }: CachedRun,
    { id: askedBy, options }: RescoreToContinue,
    signal: AbortSignal,
  ): Promise<Rescored> {
    if (!replies) return { scored: undefined };
    // A version that makes a conversation of the case, or the other way around, says nothing of what was played.
    if (ran && Boolean(ran.conversation) !== Boolean(prepared.input.conversation))
      return { scored: undefined, unmatched: true };
    const similarity = (a: string, b: string) => this.deps.embedder.similarity({ teamId, askedBy }, a, b, signal);
    const of = { share: teamId, signal, similarity, ...(played && { played }) };
    const {
      differs,
      played: _played,
      ...scored
    } = await this.deps.scorer.score(prepared, replies, options.metrics, of);
    if (differs) return { scored: undefined, kept: true };
    const { input } = prepared;
    const isUnanswered = ran && input.multi_turn && endedTooEarly(ran, input, scored.verdict.called, replies.length);
    return isUnanswered ? { scored: undefined, unmatched: true } : { scored };
  }

  /** An item that cannot be scored is left without a verdict and does not stop the others. */
  #leaveOut(error: unknown, { runId }: RescoreToContinue, place: object, signal: AbortSignal): Rescored {
    if (error instanceof ProviderFailure || signal.aborted) throw error;
    if (error instanceof Unscorable) return { scored: undefined }; // Already logged.
    const { message, stack } = error as Error;
    this.deps.logger.error(
      { run: runId, ...place, error: message, stack },
      'A stored reply could not be scored again; it stays without a verdict',
    );
    return { scored: undefined };
  }
}

/** A case as the version has it. What was played began with the state of the case as it ran, so that one stays. */
function versionOf(body: string, defaults: VersionSettings['conversation'], ran: CaseInput): CaseInput {
  const input = mergeConversation(parseCase(body), defaults);
  if (!input.conversation || !ran.conversation) return input;
  return { ...input, conversation: { ...input.conversation, state: ran.conversation.state } };
}

/** Computes the value of each position once. */
function memoizeBy<Value>(compute: (position: number) => Promise<Value>): (position: number) => Promise<Value> {
  const values = new Map<number, Promise<Value>>();
  return (position) => {
    const value = values.get(position) ?? compute(position);
    values.set(position, value);
    return value;
  };
}

/** The figures of each model, without the results that the version does not judge: these are counted. */
async function summarise(
  pool: Pool,
  { run }: CachedRun,
  rescore: RescoreToContinue,
): Promise<{ summaries: Summary[]; unmatched: Unmatched | null }> {
  const summaries: Summary[] = [];
  const positions = new Set<number>();
  let results = 0;
  for (const target of run.targets) {
    const summary = new SummaryBuilder();
    for await (const page of resultsOfTarget(pool, run.id, target.ordinal, { rescoreId: rescore.id })) {
      for (const item of page) {
        if (!item.unmatched) summary.add(item);
        else {
          positions.add(item.case_position);
          results++;
        }
      }
    }
    summaries.push({ ...summary.finish(), target: targetName(target) });
  }
  if (rescore.versionId === null) return { summaries, unmatched: null };
  return { summaries, unmatched: await nameUnmatched(pool, run.id, { positions, results }) };
}
