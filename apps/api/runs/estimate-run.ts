import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Lane } from '#lib/contracts/lane';
import { costByPrices, NO_USAGE, type Usage } from '#lib/contracts/cost';
import { RESERVED_REPLY_TOKENS, type Estimate, type EstimateRange } from '#lib/contracts/estimate';
import type { RunConfig, RunInput } from '#lib/contracts/run-input';
import type { UncountedSuite } from '#lib/db/catalogue/suites';
import type { Summary } from '#lib/contracts/summary';
import { targetName } from '#lib/contracts/target-name';
import { LaneRepository } from '#lib/db/catalogue/lanes';
import type { Pool } from '#lib/db/connection/pool';
import { countCachedReplies } from '#lib/db/engine/reply-cache';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { EstimateRepository, type EarlierTarget } from '#lib/db/read/estimate';
import { POOL } from '../platform/stores.js';
import { rangeOfAll } from './range-of-all.js';
import { hostWarnings } from '../threads/host-warnings.js';
import { SuiteThreads } from '../threads/suite-threads.js';
import type { RequestCounts, CountInput } from '../threads/count-requests.js';

/**
 * Requests that are built and counted for an estimate. The others are assumed to be similar, so that an estimate of a
 * million requests takes no longer.
 */
const MAX_COUNTED_REQUESTS = 2000;
/** Assumed for a model without an earlier run. */
const DEFAULT_REQUEST = { completionTokens: 64, latencyMs: 2000 };
/** Share of a limit that lanes use. */
const HEADROOM = 0.98;

/** A validated request with its defaults filled in, and its suite and models resolved. */
export interface ResolvedRun {
  input: RunInput & Pick<RunConfig, 'metrics' | 'cache' | 'max_tokens'>;
  suite: UncountedSuite;
  targets: ResolvedTarget[];
}

type Model = Awaited<ReturnType<EstimateRepository['findModels']>>[number];
type LaneLoad = Pick<Lane, 'limits' | 'backlog'>;
type TargetEstimate = Estimate['targets'][number];

/** Estimates a run's requests, tokens, cost and duration, for each model and in total. */
@Injectable()
export class RunEstimator {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteThreads: SuiteThreads,
  ) {}

  async estimate(teamId: string, run: ResolvedRun, maxCounted = MAX_COUNTED_REQUESTS): Promise<Estimate> {
    const { input, suite, targets } = run;
    const repository = new EstimateRepository(this.pool, teamId);
    const casesPerTarget = Math.max(1, Math.floor(maxCounted / targets.length));
    const { cases, sample } = await repository.sampleCases(suite.id, input.case_filter, casesPerTarget);
    const earlier = await repository.latestTargets(targets, input.prompt_cache);
    const lanes = new Map((await new LaneRepository(this.pool, teamId).list()).map((lane) => [lane.id, lane]));
    const models = await repository.findModels(targets);
    const counts = await this.suiteThreads.run(teamId, {
      what: 'count-requests',
      of: JSON.stringify(toCount(run, models)),
      cases: sample,
      targets: targets.length,
    });
    const estimates = await Promise.all(
      targets.map(async (target, index) =>
        estimateTarget(target, {
          items: cases * input.samples,
          // Of several samples only the first is cached.
          cached: Math.round(cases * (await this.#cachedShare(teamId, counts[index]!.keys))),
          counted: counts[index]!,
          model: models[index],
          lane: lanes.get(target.laneId) ?? NEW_LANE,
          earlier: earlier[index],
          promptCache: input.prompt_cache,
        }),
      ),
    );
    return {
      ...totalsOf(estimates),
      ...rangeOfAll(estimates),
      duration_s: durationOfAll(run, estimates),
      targets: estimates,
      counted_cases: Math.max(0, ...counts.map((counted) => counted.cases)),
      cases,
      assumptions: [
        ...assumedOfReplies(run, models, lanes, estimates),
        ...assumedOfCaches(estimates),
        ...(estimates.some(({ range }) => range) ? [OF_ROUNDS] : []),
      ],
      warnings: await this.#hostWarnings(teamId, run, models, sample),
    };
  }

  /** Which of the cases' tools the hosts of the models refuse. */
  async #hostWarnings(
    teamId: string,
    { suite, targets }: ResolvedRun,
    models: readonly Model[],
    sample: readonly string[],
  ): Promise<string[]> {
    const hosts = targets.flatMap((target, index) => {
      const { kind, baseUrl } = models[index] ?? {};
      return kind && baseUrl ? [{ kind, baseUrl, name: targetName(target) }] : [];
    });
    return hostWarnings(this.suiteThreads, teamId, { tools: suite.tools, hosts, cases: sample });
  }

  /** The share of the counted requests that the reply cache answers. */
  async #cachedShare(teamId: string, keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return 0;
    const buffers = keys.map((key) => Buffer.from(key, 'hex'));
    return (await countCachedReplies(this.pool, teamId, buffers)) / keys.length;
  }
}

const OF_ROUNDS =
  'A conversation is assumed to take a request for each call of its goal and for each turn of its user. `range` has ' +
  'the least and the most.';

/** Settings that limit a reply, in any API format: the run's own limit, or a parameter of requests. */
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];

/** States the assumption about replies without a limit. */
function assumedOfReplies(
  { input, targets }: ResolvedRun,
  models: readonly Model[],
  lanes: ReadonlyMap<string, LaneLoad>,
  estimates: readonly TargetEstimate[],
): string[] {
  if (input.max_tokens !== null || estimates.every(({ requests }) => requests === 0)) return [];
  const isLimited = targets.every(({ params }, index) => {
    const sent = { ...models[index]?.defaultParams, ...input.params, ...(params as object) };
    return LIMITS.some((name) => Object.hasOwn(sent, name));
  });
  if (isLimited) return [];
  const known = estimates.filter(({ replies_by: by }) => by === 'earlier runs').length;
  const ordinary = `${DEFAULT_REQUEST.completionTokens} tokens`;
  const assumed =
    known === 0
      ? `${ordinary} each`
      : known === estimates.length
        ? 'as long as in earlier runs of the model'
        : `as long as in earlier runs of the model, or ${ordinary} where there are none`;
  const isReserved = targets.some(({ laneId }) => lanes.get(laneId)?.limits.tokens_per_minute != null);
  return [
    `No max_tokens limits the replies. They are assumed to be ${assumed}; longer ones cost more.`,
    ...(isReserved
      ? [`Until a reply has come, the limit of tokens per minute counts it as ${RESERVED_REPLY_TOKENS} tokens.`]
      : []),
  ];
}

/** States which tokens are assumed to come from a provider's cache. */
const assumedOfCaches = (estimates: readonly TargetEstimate[]): string[] =>
  estimates
    .filter(({ requests, cache_hit_rate: rate = 0 }) => requests > 0 && rate > 0)
    .map(
      ({ target, cache_hit_rate: rate = 0 }) =>
        `The provider's cache is assumed to answer ${Math.round(rate * 100)} % of the tokens of requests to ` +
        `${target}, as in its last run with the same prompt_cache.`,
    );

const toCount = ({ input, suite, targets }: ResolvedRun, models: readonly Model[]): CountInput => ({
  input,
  suite: { systemPrompt: suite.system_prompt, tools: suite.tools, maxRounds: suite.conversation?.max_rounds },
  targets: targets.map(({ modelId, providerId, params, systemPrompt }, index) => ({
    modelId,
    providerId,
    params: params as JsonObject,
    systemPrompt,
    model: models[index],
  })),
});

interface OfTarget {
  items: number;
  cached: number;
  counted: RequestCounts;
  model: Model;
  lane: LaneLoad;
  earlier: EarlierTarget | undefined;
  promptCache: string;
}

function estimateTarget(target: ResolvedTarget, of: OfTarget): TargetEstimate {
  const { cached, counted, lane, earlier } = of;
  const replies = earlier && repliesOf(earlier.summary);
  const { requests, usage, cost } = usageOf(of, counted.likely, replies);
  const { promptTokens, completionTokens } = usage;
  return {
    target: targetName(target),
    requests,
    cached,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    cost_usd: cost,
    ...(counted.most.requests > counted.cases && {
      range: rangeOf([usageOf(of, counted.least, replies), usageOf(of, counted.most, replies)]),
    }),
    cache_hit_rate: promptTokens === 0 ? 0 : (usage.cacheReadTokens ?? 0) / promptTokens,
    duration_s: durationOnLane(lane, {
      requests,
      tokens: promptTokens + completionTokens,
      latencyMs: earlier?.summary.latency_ms.p50 ?? DEFAULT_REQUEST.latencyMs,
    }),
    tokens_by: counted.tokensBy,
    replies_by: replies ? 'earlier runs' : 'rule',
  };
}

interface ExpectedUsage {
  requests: number;
  usage: Usage & { promptTokens: number; completionTokens: number };
  cost: number | null;
}

/** The usage of a model if its cases take as many rounds as these of the counted ones. */
function usageOf(of: OfTarget, rounds: RequestCounts['likely'], replies: ReturnType<typeof repliesOf>): ExpectedUsage {
  const { items, cached, counted } = of;
  const asked = items - cached;
  const aCase = (sum: number): number => sum / Math.max(1, counted.cases);
  const requests = counted.cases === 0 ? asked : Math.round(aCase(rounds.requests) * asked);
  const promptTokens = Math.round(aCase(rounds.promptTokens) * asked);
  // What an earlier run says of the replies to a case is about all of its rounds.
  const completionTokens = Math.round(
    replies
      ? (replies.completionTokens * asked * rounds.requests) / Math.max(1, counted.likely.requests)
      : DEFAULT_REQUEST.completionTokens * requests,
  );
  const usage = { ...NO_USAGE, promptTokens, completionTokens, ...cacheUse(promptTokens, of) };
  return { requests, usage, cost: costOfRequests(requests, usage, of) };
}

function rangeOf([least, most]: [ExpectedUsage, ExpectedUsage]): EstimateRange {
  const both = (key: (of: ExpectedUsage) => number): [number, number] => [key(least), key(most)];
  return {
    requests: both(({ requests }) => requests),
    prompt_tokens: both(({ usage }) => usage.promptTokens),
    completion_tokens: both(({ usage }) => usage.completionTokens),
    cost_usd: least.cost === null || most.cost === null ? null : [least.cost, most.cost],
  };
}

/** Average length of replies from the model rather than the cache; undefined if there are none. */
function repliesOf({ scored, cached, usage }: Summary): { completionTokens: number } | undefined {
  const made = scored - cached.results;
  return made > 0 ? { completionTokens: (usage.completion_tokens - cached.completion_tokens) / made } : undefined;
}

type Shares = Pick<Usage, 'cacheReadTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens'>;

/** The provider's cache usage in the model's last run, if that had the same cache setting. */
function cacheUse(
  promptTokens: number,
  { earlier, promptCache }: { earlier: EarlierTarget | undefined; promptCache: string },
): Partial<Shares> {
  if (!earlier?.promptTokens || earlier.promptCache !== promptCache) return {};
  const share = (tokens: number): number => Math.round((promptTokens * tokens) / earlier.promptTokens);
  return {
    cacheReadTokens: share(earlier.cacheReadTokens),
    cacheWrite5mTokens: share(earlier.cacheWrite5mTokens),
    cacheWrite1hTokens: share(earlier.cacheWrite1hTokens),
  };
}

/** If a provider reports its charges, the average of the last run is used. */
function costOfRequests(
  requests: number,
  usage: Usage,
  { model, earlier }: { model: Model; earlier: EarlierTarget | undefined },
): number | null {
  if (requests === 0) return model ? costByPrices(usage, model) : null;
  if (earlier?.reportedCost != null) return (earlier.reportedCost / Math.max(1, earlier.requests)) * requests;
  return model ? costByPrices(usage, model) : null;
}

/** Replaces a lane that is gone, because its provider got another key since the targets were read. */
const NEW_LANE: LaneLoad = {
  limits: { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 8 },
  backlog: 0,
};

/**
 * The slowest of a lane's limits: its slots, its requests, its tokens. A backlog takes half of the lane until it is
 * done.
 */
function durationOnLane(
  { limits, backlog }: LaneLoad,
  { requests, tokens, latencyMs }: { requests: number; tokens: number; latencyMs: number },
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

/** Providers work in parallel, and so do the lanes of a provider unless its models run in sequence. */
function durationOfAll({ input, targets }: ResolvedRun, estimates: readonly TargetEstimate[]): number {
  const inSequence = new Map<string, number>();
  targets.forEach(({ providerId, laneId }, index) => {
    const key = input.model_order === 'sequential' ? providerId : laneId;
    inSequence.set(key, (inSequence.get(key) ?? 0) + estimates[index]!.duration_s);
  });
  return Math.max(0, ...inSequence.values());
}

function totalsOf(estimates: readonly TargetEstimate[]) {
  const sum = (key: 'requests' | 'cached' | 'prompt_tokens' | 'completion_tokens'): number =>
    estimates.reduce((total, one) => total + one[key], 0);
  const isPriced = estimates.every((one) => one.cost_usd !== null);
  return {
    requests: sum('requests'),
    cached: sum('cached'),
    prompt_tokens: sum('prompt_tokens'),
    completion_tokens: sum('completion_tokens'),
    cost_usd: isPriced ? estimates.reduce((total, one) => total + one.cost_usd!, 0) : null,
  };
}
