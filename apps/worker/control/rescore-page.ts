import type { RescoreOptions } from '#lib/contracts/rescore';
import type { Summary } from '#lib/contracts/summary';
import type { Pool } from '#lib/db/connection/pool';
import { resultsOfTarget } from '#lib/db/read/results';
import {
  finishRescore,
  storeRescored,
  readExchanges,
  type RescoredItem,
  type RescoreToContinue,
} from '#lib/db/engine/rescore-run';
import { ProviderFailure } from '#lib/providers/failure';
import type { Logger } from '#lib/runtime/logger';
import { Semaphore } from '#lib/runtime/semaphore';
import { withRescoreOptions } from '#lib/scoring/cases/rescore-options';
import { SummaryBuilder } from '#lib/scoring/statistics/summarise';
import type { Embedder } from '../embeddings/embedder.js';
import { unpackExchange } from '../items/pack-exchange.js';
import { answersIn, type Exchange } from '../items/play-case.js';
import { prepare, type PreparedCase } from '../scoring/prepare-case.js';
import type { RunCache, CachedRun } from '../items/run-cache.js';
import { Unscorable, type ReplyScorer } from '../scoring/score-reply.js';

/** So many that a page of the costliest replies still ends within the time that a page has. */
const PAGE = 50;

/**
 * Scores the next page of a run's stored replies again. Each page is kept in the commit that moves on behind it, so
 * that whoever goes on after a crash repeats at most one page and keeps nothing twice; no model is asked.
 * @returns whether there may be more to do
 */
export async function rescorePage(
  of: { pool: Pool; runs: RunCache; embedder: Embedder; scorer: ReplyScorer; logger: Logger },
  rescore: RescoreToContinue,
  signal: AbortSignal,
): Promise<boolean> {
  const { pool, runs, embedder, scorer } = of;
  const inHand = await runs.run(rescore.runId);
  if (!inHand) return false;
  const page = await readExchanges(pool, rescore.runId, rescore.next, PAGE);
  if (page.length === 0) {
    await finishRescore(pool, rescore, { summaries: await summaries(pool, inHand, rescore) });
    return false;
  }
  if (page.some((row) => row.exchange === undefined)) {
    await finishRescore(pool, rescore, {
      error: 'The replies of this run are no longer kept, so they cannot be scored again. Submit the run anew.',
    });
    return false;
  }
  const { teamId } = inHand.run;
  const prepared = new Map<number, PreparedCase>();
  try {
    const score = async (exchange: Exchange, position: number): Promise<RescoredItem['scored']> => {
      const answers = answersIn(exchange);
      if (!answers) return undefined;
      let one = prepared.get(position);
      if (!one) prepared.set(position, (one = await prepareAgain(inHand, position, rescore.options)));
      const similarity = (a: string, b: string) => embedder.similarity(teamId, a, b, signal);
      return scorer.score(one, answers, rescore.options.metrics, { share: teamId, signal, similarity });
    };
    // An item that cannot be scored stays without a verdict, and holds up none of the others.
    const withoutVerdict = (place: object, error: unknown): undefined => {
      if (error instanceof ProviderFailure || signal.aborted) throw error;
      if (error instanceof Unscorable) return; // the log has it
      of.logger.error(
        { run: rescore.runId, ...place, error: (error as Error).message, stack: (error as Error).stack },
        'A stored reply could not be scored again; it stays without a verdict',
      );
    };
    const oneByOne = new Semaphore(1);
    const rescored = await Promise.all(
      page.map(async ({ exchange, ...place }): Promise<RescoredItem> => {
        if (exchange!.length === 0) return { ...place, scored: undefined };
        const scored = unpackExchange<RescoredItem['scored']>(
          exchange!,
          (work) => oneByOne.run(work),
          (stored) => score(stored, place.casePosition),
        );
        return { ...place, scored: await scored.catch((error: unknown) => withoutVerdict(place, error)) };
      }),
    );
    return await storeRescored(pool, rescore, rescored);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    await finishRescore(pool, rescore, { error: error.message });
    return false;
  }
}

async function prepareAgain(inHand: CachedRun, position: number, options: RescoreOptions): Promise<PreparedCase> {
  const { suite } = inHand.run;
  const { input, category } = await inHand.caseAt(position);
  return prepare(
    withRescoreOptions(input, options),
    category,
    suite.tools,
    options.pass_threshold ?? suite.passThreshold,
  );
}

async function summaries(pool: Pool, { run }: CachedRun, rescore: RescoreToContinue): Promise<Summary[]> {
  const all: Summary[] = [];
  for (const { ordinal, providerKey, modelId } of run.targets) {
    const summary = new SummaryBuilder({ seed: ordinal });
    for await (const page of resultsOfTarget(pool, run.id, ordinal, { rescoreId: rescore.id })) {
      for (const item of page) summary.add(item);
    }
    all.push({ ...summary.finish(), target: `${providerKey}::${modelId}` });
  }
  return all;
}
