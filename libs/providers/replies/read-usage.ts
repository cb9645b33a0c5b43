import { NO_USAGE, type Usage } from '#lib/contracts/cost';
import { isNumber, isObject, toNumber, type Json, type JsonObject } from '#lib/contracts/json/json';

/** Far above any model's limit: a larger number is not a valid count. */
const MAX_TOKENS = 100_000_000;
const MAX_COST_USD = 10_000;

const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** A token count; null if a host gives none, or an invalid one. */
function readCount(value: Json | undefined): number | null {
  const count = isNumber(value) ? toNumber(value) : NaN;
  return Number.isInteger(count) && count >= 0 && count <= MAX_TOKENS ? count : null;
}

/** The first of several fields with a count. */
const firstCount = (...values: (Json | undefined)[]): number | null => {
  for (const value of values) {
    const count = readCount(value);
    if (count !== null) return count;
  }
  return null;
};

const sumOf = (...counts: (number | null)[]): number | null =>
  counts.every((count) => count === null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);

/** A part is never larger than the rest of the whole. */
const partOf = (part: number | null, left: number): number | null => (part === null ? null : Math.min(part, left));

/**
 * The parts of a request that the cache read and wrote, together no more than all of it. Without a total count, the
 * parts are not reported.
 */
function within(
  promptTokens: number | null,
  { read, written5m, written1h }: { read: number | null; written5m: number | null; written1h: number | null },
): Pick<Usage, 'promptTokens' | 'cacheReadTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens'> {
  let left = promptTokens ?? 0;
  const take = (part: number | null): number | null => {
    const taken = promptTokens === null ? null : partOf(part, left);
    left -= taken ?? 0;
    return taken;
  };
  return {
    promptTokens,
    cacheReadTokens: take(read),
    cacheWrite1hTokens: take(written1h),
    cacheWrite5mTokens: take(written5m),
  };
}

const withReasoning = (
  completionTokens: number | null,
  reasoning: number | null,
): Pick<Usage, 'completionTokens' | 'reasoningTokens'> => ({
  completionTokens,
  reasoningTokens: completionTokens === null ? null : partOf(reasoning, completionTokens),
});

/** Writes to Anthropic's cache by its two durations. The default is five minutes. */
function anthropicWrites(usage: JsonObject): { written5m: number | null; written1h: number | null } {
  const { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: hour } = objectIn(usage.cache_creation);
  const all = readCount(usage.cache_creation_input_tokens);
  const [written5m, written1h] = [readCount(fiveMinutes), readCount(hour)];
  if (written1h === null) return { written5m: all ?? written5m, written1h: null };
  return { written5m: all === null ? written5m : Math.max(0, all - written1h), written1h };
}

/**
 * The billed amount in US dollars that a host reports: `cost` of OpenRouter, plus the price of the upstream host, which
 * bills separately if its own key was used, and `cost_in_usd_ticks` of xAI
 * (https://docs.x.ai/developers/cost-tracking).
 */
function readCost({ cost, is_byok: isOwnKey, cost_details: details, cost_in_usd_ticks: ticks }: JsonObject) {
  const billed = readDollars(cost) ?? readDollars(ticks, 1e-10);
  if (billed === null || isOwnKey !== true) return billed;
  return billed + (readDollars(objectIn(details).upstream_inference_cost) ?? 0);
}

function readDollars(value: Json | undefined, unit = 1): number | null {
  const dollars = isNumber(value) ? toNumber(value) * unit : NaN;
  return dollars >= 0 && dollars <= MAX_COST_USD ? dollars : null;
}

/** `usage` of a chat completion. */
export function readOpenaiUsage(given: Json | undefined): Usage {
  const usage = objectIn(given);
  const prompt = objectIn(usage.prompt_tokens_details);
  const completion = objectIn(usage.completion_tokens_details);
  const counted = readCount(usage.prompt_tokens);
  // Proxies of Anthropic's API pass its fields on, some together with its count of the uncached rest.
  const writes = anthropicWrites(usage);
  const anthropicRead = readCount(usage.cache_read_input_tokens);
  const apart = sumOf(anthropicRead, writes.written5m, writes.written1h) ?? 0;
  const promptTokens = counted !== null && isApart(usage, counted, apart) ? counted + apart : counted;
  return {
    ...within(promptTokens, {
      // DeepSeek and Moonshot have their own fields.
      read: firstCount(prompt.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens, anthropicRead),
      written5m: writes.written5m ?? readCount(prompt.cache_write_tokens),
      written1h: writes.written1h,
    }),
    ...withReasoning(
      completionTokens(usage, promptTokens),
      firstCount(completion.reasoning_tokens, usage.reasoning_tokens),
    ),
    reportedCostUsd: readCost(usage),
  };
}

/**
 * Whether the cache's tokens are counted separately from the rest: the total includes both, or they exceed the rest.
 */
function isApart({ total_tokens: total, completion_tokens: completion }: JsonObject, rest: number, apart: number) {
  const said = readCount(total);
  const replied = readCount(completion) ?? 0;
  if (apart === 0) return false;
  return apart > rest ? said !== rest + replied : said === rest + apart + replied;
}

/** Some hosts include a model's reasoning only in the total, but charge for it as output. */
function completionTokens(usage: JsonObject, prompt: number | null): number | null {
  const completion = readCount(usage.completion_tokens);
  const total = readCount(usage.total_tokens);
  return prompt === null || completion === null || total === null ? completion : Math.max(completion, total - prompt);
}

/** `usage` of OpenAI's Responses API. */
export function readOpenaiResponsesUsage(given: Json | undefined): Usage {
  const usage = objectIn(given);
  const input = objectIn(usage.input_tokens_details);
  return {
    ...within(readCount(usage.input_tokens), {
      read: readCount(input.cached_tokens),
      written5m: readCount(input.cache_write_tokens),
      written1h: null,
    }),
    ...withReasoning(readCount(usage.output_tokens), readCount(objectIn(usage.output_tokens_details).reasoning_tokens)),
    reportedCostUsd: readCost(usage),
  };
}

/** `usage` of Anthropic's API, which counts cache reads and writes separately from the rest of the request. */
export function readAnthropicUsage(given: Json | undefined): Usage {
  const usage = objectIn(given);
  const rest = readCount(usage.input_tokens);
  const read = readCount(usage.cache_read_input_tokens);
  const writes = anthropicWrites(usage);
  return {
    ...within(rest === null ? null : sumOf(rest, read, writes.written5m, writes.written1h), { read, ...writes }),
    ...withReasoning(readCount(usage.output_tokens), readCount(objectIn(usage.output_tokens_details).thinking_tokens)),
    reportedCostUsd: readCost(usage),
  };
}

/** `usageMetadata` of Google's generateContent, which counts thoughts separately from the reply. */
export function readGoogleUsage(given: Json | undefined): Usage {
  const usage = objectIn(given);
  const thoughts = readCount(usage.thoughtsTokenCount);
  return {
    ...NO_USAGE,
    ...within(sumOf(readCount(usage.promptTokenCount), readCount(usage.toolUsePromptTokenCount)), {
      read: readCount(usage.cachedContentTokenCount),
      written5m: null,
      written1h: null,
    }),
    ...withReasoning(sumOf(readCount(usage.candidatesTokenCount), thoughts), thoughts),
  };
}
