import type { PromptTuneEstimate, PromptTuneInput } from '#lib/contracts/prompt-tune';
import type { StoredPromptTune } from '#lib/db/engine/prompt-tunes';
import type { EstimateRepository } from '#lib/db/read/estimate';

type Texts = StoredPromptTune['base'];

/** Characters of a token, and what a request to the meta model has beside the texts: instructions and examples. */
const TOKEN = 4;
const PROMPT_TOKENS = 1500;
/** What a reply has beside the texts: their names, and why they are as they are. */
const REPLY_TOKENS = 100;

/** What the meta model takes. @param model its prices */
export function estimateMeta(
  input: PromptTuneInput,
  requests: number,
  base: Texts,
  model: Awaited<ReturnType<EstimateRepository['findModels']>>[number],
): PromptTuneEstimate['meta'] {
  const prompt = Math.round(requests * (PROMPT_TOKENS + sum(lengthsOf(base)) / TOKEN));
  const completion = replyTokens(input, requests, base).all;
  const { inputCostPerMtok: promptCost = null, outputCostPerMtok: replyCost = null } = model ?? {};
  return {
    requests,
    prompt_tokens: prompt,
    completion_tokens: completion,
    cost_usd: promptCost === null || replyCost === null ? null : (prompt * promptCost + completion * replyCost) / 1e6,
  };
}

/** Warns of replies that may be cut off, and then cannot be read. */
export function notesOnReplies(input: PromptTuneInput, base: Texts): string[] {
  const { longest } = replyTokens(input, 1, base);
  const most = input.meta_params.max_tokens;
  if (longest <= most) return [];
  return [
    `A reply of the meta model takes about ${longest} tokens, and it may have ${most}; one that is cut off counts as ` +
      'a rejection. Raise meta_params.max_tokens, or have fewer texts written.',
  ];
}

/** Tokens of all replies, and of the longest one, if the texts stay as long as they are. */
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
