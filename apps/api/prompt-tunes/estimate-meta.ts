import { note, type Note } from '#lib/contracts/note';
import { costByPrices, NO_USAGE } from '#lib/contracts/cost';
import type { PromptTuneEstimate, PromptTuneInput } from '#lib/prompt-tune/contract';
import type { Summary } from '#lib/contracts/summary';
import type { StoredPromptTune } from '#lib/prompt-tune/rows/stored-search';
import type { EstimateRepository } from '#lib/db/read/estimate';

type Texts = StoredPromptTune['base'];

/**
 * Characters per token, and the tokens of a request to the meta model in addition to the texts: instructions and
 * examples.
 */
const TOKEN = 4;
const PROMPT_TOKENS = 1500;
/** Tokens of a reply in addition to the texts: their names, and the rationale. */
const REPLY_TOKENS = 100;

/** Estimates the requests to the meta model. @param model its prices */
export function estimateMeta(
  input: PromptTuneInput,
  requests: number,
  base: Texts,
  model: Awaited<ReturnType<EstimateRepository['findModels']>>[number],
): PromptTuneEstimate['meta'] {
  const prompt = Math.round(requests * (PROMPT_TOKENS + sum(lengthsOf(base)) / TOKEN));
  const completion = replyTokens(input, requests, base).all;
  return {
    requests,
    prompt_tokens: prompt,
    completion_tokens: completion,
    cost_usd: model ? costByPrices({ ...NO_USAGE, promptTokens: prompt, completionTokens: completion }, model) : null,
  };
}

/** Latency of a request to a model without an earlier run. */
const DEFAULT_LATENCY_S = { meta: 5, model: 2 };
/** From the end of a child run to the first request of the next one, twice per round. */
const BETWEEN_RUNS_S = 0.4;

/**
 * Seconds that a search spends waiting for a reply of the meta model and then for its models: a new text cannot be
 * requested before the previous one was tried.
 * @param asks requests to the meta model
 * @param summaries the latest ones of the meta model and of the models, if any
 */
export function secondsOfRounds(
  { mode, generations }: PromptTuneInput,
  asks: number,
  [meta, ...models]: readonly (Summary | undefined)[],
): number {
  const rounds = { quick: 1, evolutionary: generations, reflective: asks }[mode];
  const secondsOf = (summary: Summary | undefined, otherwise: number): number =>
    summary?.latency_ms.p50 == null ? otherwise : summary.latency_ms.p50 / 1000;
  const slowest = Math.max(...models.map((model) => secondsOf(model, DEFAULT_LATENCY_S.model)));
  return rounds * (secondsOf(meta, DEFAULT_LATENCY_S.meta) + slowest + BETWEEN_RUNS_S);
}

/** Warns about replies that may be cut off, and would then be unreadable. */
export function notesOnReplies(input: PromptTuneInput, base: Texts): Note[] {
  const { longest } = replyTokens(input, 1, base);
  const most = input.meta_params.max_tokens;
  if (most === null || longest <= most) return [];
  return [
    note(
      'meta_replies_cut',
      `A reply of the meta model takes about ${longest} tokens; its limit is ${most}, and a truncated reply counts ` +
        'as a rejection. Raise the token limit of the meta model, or tune fewer texts.',
      { tokens: longest, limit: most },
    ),
  ];
}

/** Tokens of all replies, and of the longest one, if the texts keep their length. */
function replyTokens(
  { mode, variants, population }: PromptTuneInput,
  requests: number,
  base: Texts,
): { all: number; longest: number } {
  const lengths = lengthsOf(base);
  const candidate = tokensOf(sum(lengths));
  if (mode === 'quick') return { all: variants * candidate, longest: variants * candidate };
  if (mode === 'evolutionary') return { all: (population + requests - 1) * candidate, longest: population * candidate };
  const mean = sum(lengths.map(tokensOf)) / lengths.length;
  return { all: Math.ceil(requests * mean), longest: tokensOf(Math.max(...lengths)) };
}

const lengthsOf = (texts: Texts): number[] => Object.values(texts).map((text) => text.length);
const tokensOf = (characters: number): number => Math.ceil(characters / TOKEN) + REPLY_TOKENS;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
