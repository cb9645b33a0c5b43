import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { describeTools } from '#lib/contracts/prompt-components';
import { DEFAULT_CONVERSATION_ROUNDS } from '#lib/contracts/values/conversations';
import type { RunConfig, RunInput } from '#lib/contracts/run-input';
import type { Tool } from '#lib/contracts/tool';
import type { Connection } from '#lib/db/read/for-workers/connections';
import { buildRequest, toRequestTools, expectsNoCall } from '#lib/providers/build-request';
import { loadTokenCounter } from '#lib/providers/count-tokens';
import { requestKey } from '#lib/providers/request-key';
import { toolSetOf } from '#lib/scoring/cases/tool-set';

/**
 * Tokens around each message and around the reply, in addition to their text (OpenAI cookbook, "How to count tokens").
 */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_REPLY = 3;
/** Assumed of a reply with its calls, and of what follows it: answers of tools, or the user. */
const TOKENS_PER_ROUND = 160;
/** Counting stops after this many characters: a single request may have megabytes of tools and messages. */
const MAX_CHARACTERS = 64 * 2 ** 20;

/** The requests of a run, which are counted for each target. */
export interface CountInput {
  input: RunInput & Pick<RunConfig, 'metrics' | 'cache' | 'max_tokens'>;
  suite: { systemPrompt: string | null; tools: readonly Tool[]; maxRounds: number | undefined };
  targets: readonly {
    modelId: string;
    providerId: string;
    params: JsonObject;
    systemPrompt: string | null;
    /** Undefined when the provider no longer has it. */
    model:
      Pick<Connection, 'kind' | 'baseUrl' | 'headers' | 'unsupportedParams' | 'defaultParams' | 'learned'> | undefined;
  }[];
}

interface CountedRounds {
  requests: number;
  promptTokens: number;
}

/** Counts for one target. */
export interface RequestCounts {
  cases: number;
  /** Of the rounds that are likely, and if all conversations have as few or as many of them as they may. */
  likely: CountedRounds;
  least: CountedRounds;
  most: CountedRounds;
  /** The cache keys of the requests, in hex; empty if the run does not use the cache. */
  keys: string[];
  tokensBy: string;
}

/**
 * Counts the prompt tokens of the requests that cases would send.
 * @param bodies the cases' JSON
 */
export async function countRequests(run: CountInput, bodies: readonly string[]): Promise<RequestCounts[]> {
  const cases = bodies.map((body) => parseJson(body) as unknown as CaseInput);
  const maxCharacters = MAX_CHARACTERS / run.targets.length;
  return Promise.all(run.targets.map((target) => countTarget(run, target, cases, maxCharacters)));
}

async function countTarget(
  { input, suite }: CountInput,
  { model, ...target }: CountInput['targets'][number],
  cases: readonly CaseInput[],
  maxCharacters: number,
): Promise<RequestCounts> {
  const counter = await loadTokenCounter(target.modelId);
  const nothing = (): CountedRounds => ({ requests: 0, promptTokens: 0 });
  const counted: RequestCounts = {
    ...{ cases: 0, likely: nothing(), least: nothing(), most: nothing() },
    ...{ keys: [], tokensBy: counter.name },
  };
  if (!model) return counted;
  const suiteTools = describeTools(suite.tools, input.tool_overrides);
  const tokensOfTools = new WeakMap<object, number>();
  let characters = 0;
  const count = (text: string): number => {
    characters += text.length;
    return counter.count(text);
  };
  for (const one of cases) {
    const tools = toRequestTools(toolSetOf(one, suiteTools));
    const { body } = buildRequest({
      config: input,
      suite: { systemPrompt: suite.systemPrompt, tools: [] },
      input: one,
      expectsNoCall: expectsNoCall(one),
      model,
      target: { ...target, name: target.modelId },
    });
    const toolTokens = tokensOfTools.get(tools) ?? count(JSON.stringify(tools));
    tokensOfTools.set(tools, toolTokens);
    const messages = body.messages as { content?: unknown }[];
    const messageTokens = count(textOf(messages)) + TOKENS_PER_MESSAGE * messages.length;
    const rounds = roundsOf(one, suite.maxRounds);
    for (const key of ['likely', 'least', 'most'] as const)
      addRounds(counted[key], rounds[key], toolTokens + messageTokens + TOKENS_PER_REPLY);
    if (input.cache === 'use') {
      const endpoint = {
        providerId: target.providerId,
        baseUrl: model.baseUrl,
        kind: model.kind,
        headers: model.headers,
      };
      counted.keys.push(requestKey(endpoint, { ...body, tools }, 0).toString('hex'));
    }
    counted.cases++;
    if (characters > maxCharacters) break;
  }
  return counted;
}

/** How many requests a case takes: one, unless it is a conversation. */
function roundsOf(
  { conversation }: CaseInput,
  ofSuite: number | undefined,
): Record<'likely' | 'least' | 'most', number> {
  if (!conversation) return { likely: 1, least: 1, most: 1 };
  const most = conversation.max_rounds ?? ofSuite ?? DEFAULT_CONVERSATION_ROUNDS;
  const least = Math.min(most, (conversation.user?.turns.length ?? 0) + 1);
  return { likely: Math.min(most, least + (conversation.goal.calls?.length ?? 1)), least, most };
}

/** Each round also sends what was said in those before it. */
function addRounds(to: CountedRounds, rounds: number, firstTokens: number): void {
  to.requests += rounds;
  to.promptTokens += rounds * firstTokens + (TOKENS_PER_ROUND * rounds * (rounds - 1)) / 2;
}

const textOf = (messages: readonly { content?: unknown }[]): string =>
  messages
    .map((message) => (typeof message.content === 'string' ? message.content : JSON.stringify(message)))
    .join('\n');
