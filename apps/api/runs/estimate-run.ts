import type { Lane } from '#lib/contracts/lane';
import type { Estimate, RunConfig, RunInput } from '#lib/contracts/run';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { EstimateRepository } from '#lib/db/read/estimate';
import { LaneRepository } from '#lib/db/catalogue/lanes';
import type { Connection } from '#lib/db/read/for-workers/connections';
import type { Pool } from '#lib/db/connection/pool';
import { countCachedReplies } from '#lib/db/engine/reply-cache';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import type { ToCount } from './count-requests.js';
import type { SuiteThreads } from '../suites/suite-threads.js';

/**
 * Requests that are built and counted for an estimate; the rest is taken to be like them, so that it takes no
 * longer for a million.
 */
const LARGEST_SAMPLE = 2000;
/** What a request takes that nothing is known of. */
const RULE = { completionTokens: 64, latencyMs: 2000 };
/** Share of a limit that lanes use. */
const HEADROOM = 0.98;

/** What a run would take: requests, tokens, money and time, for each model and in all. Nothing is run. */
export async function estimateRun(
  { pool, suiteThreads: threads }: { pool: Pool; suiteThreads: SuiteThreads },
  teamId: string,
  suite: Suite,
  input: RunInput & Pick<RunConfig, 'metrics' | 'cache'>,
  targets: readonly ResolvedTarget[],
  largestSample = LARGEST_SAMPLE,
): Promise<Estimate> {
  const repository = new EstimateRepository(pool, teamId);
  const { cases, sample } = await repository.sampleCases(
    suite.id,
    input.case_filter,
    Math.max(1, Math.floor(largestSample / targets.length)),
  );
  const earlier = await repository.latestSummaries(targets);
  const lanes = new Map((await new LaneRepository(pool, teamId).list()).map((lane) => [lane.id, lane]));
  const models = await repository.findModels(targets);
  const toCount: ToCount = {
    input,
    suite: { systemPrompt: suite.system_prompt, tools: suite.tools },
    targets: targets.map(({ modelId, providerId, params, systemPrompt }, index) => {
      return {
        modelId,
        providerId,
        params: params as JsonObject,
        systemPrompt,
        model: models[index] && askedOf(models[index]),
      };
    }),
  };
  const counts = await threads.run(teamId, {
    what: 'count-requests',
    of: JSON.stringify(toCount),
    cases: sample,
    targets: targets.length,
  });
  const all = await Promise.all(
    targets.map(async (target, index) => {
      const model = models[index];
      const counted = counts[index]!;
      const name = `${target.providerKey}::${target.modelId}`;
      const items = cases * input.samples;
      const share = counted.keys.length
        ? (await countCachedReplies(
            pool,
            teamId,
            counted.keys.map((key) => Buffer.from(key, 'hex')),
          )) / counted.keys.length
        : 0;
      const cached = Math.round(cases * share); // of several samples the first alone may be stored by a run with one
      const requests = items - cached;
      const known = earlier[index];
      const paid = known ? known.scored - known.cached.results : 0;
      const completion =
        known && paid > 0
          ? (known.usage.completion_tokens - known.cached.completion_tokens) / paid
          : RULE.completionTokens;
      const tokens = {
        prompt_tokens: Math.round((counted.promptTokens / Math.max(1, counted.cases)) * requests),
        completion_tokens: Math.round(completion * requests),
      };
      const cost =
        model?.inputCostPerMtok == null || model.outputCostPerMtok == null
          ? null
          : (tokens.prompt_tokens * model.inputCostPerMtok + tokens.completion_tokens * model.outputCostPerMtok) / 1e6;
      return {
        target: name,
        requests,
        cached,
        ...tokens,
        cost_usd: cost,
        duration_s: durationS(
          lanes.get(target.laneId)!,
          requests,
          tokens.prompt_tokens + tokens.completion_tokens,
          known?.latency_ms.p50 ?? RULE.latencyMs,
        ),
        tokens_by: counted.tokensBy,
        replies_by: paid > 0 ? ('earlier runs' as const) : ('rule' as const),
      };
    }),
  );
  const sum = (key: 'requests' | 'cached' | 'prompt_tokens' | 'completion_tokens'): number =>
    all.reduce((total, one) => total + one[key], 0);
  // Providers work side by side, and so do lanes of one provider when the models are not in sequence.
  const together = new Map<string, number>();
  targets.forEach((target, index) => {
    const key = input.model_order === 'sequential' ? target.providerId : target.laneId;
    together.set(key, (together.get(key) ?? 0) + all[index]!.duration_s);
  });
  return {
    requests: sum('requests'),
    cached: sum('cached'),
    prompt_tokens: sum('prompt_tokens'),
    completion_tokens: sum('completion_tokens'),
    cost_usd: all.some((one) => one.cost_usd === null) ? null : all.reduce((total, one) => total + one.cost_usd!, 0),
    duration_s: Math.max(0, ...together.values()),
    targets: all,
    counted_cases: Math.max(0, ...counts.map((counted) => counted.cases)),
    cases,
  };
}

/** What a request is built from; no key goes along. */
const askedOf = ({
  kind,
  baseUrl,
  unsupportedParams,
  defaultParams,
  refusesRequired,
}: Omit<Connection, 'sealedKey' | 'lane'>): ToCount['targets'][number]['model'] => ({
  kind,
  baseUrl,
  unsupportedParams,
  defaultParams,
  refusesRequired,
});

/**
 * The slowest of what a lane allows: its slots, its requests, its tokens. A backlog shares the lane until it is
 * done, half and half.
 */
function durationS(
  { limits, backlog }: Pick<Lane, 'limits' | 'backlog'>,
  requests: number,
  tokens: number,
  latencyMs: number,
): number {
  if (requests === 0) return 0;
  const shared = (requests + Math.min(backlog, requests)) / requests;
  const alone = Math.max(
    (requests * latencyMs) / 1000 / Math.min(limits.max_concurrency, requests),
    limits.requests_per_minute === null ? 0 : requests / ((limits.requests_per_minute * HEADROOM) / 60),
    limits.tokens_per_minute === null ? 0 : tokens / ((limits.tokens_per_minute * HEADROOM) / 60),
  );
  return Math.round(alone * shared * 1000) / 1000;
}
