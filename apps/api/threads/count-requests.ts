import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { describeTools } from '#lib/contracts/prompt-components';
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
/** Counting stops after this many characters: a single request may have megabytes of tools and messages. */
const MAX_CHARACTERS = 64 * 2 ** 20;

/** The requests of a run, which are counted for each target. */
export interface CountInput {
  input: RunInput & Pick<RunConfig, 'metrics' | 'cache' | 'max_tokens'>;
  suite: { systemPrompt: string | null; tools: readonly Tool[] };
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

/** Counts for one target. */
export interface RequestCounts {
  cases: number;
  promptTokens: number;
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
  const counted: RequestCounts = { cases: 0, promptTokens: 0, keys: [], tokensBy: counter.name };
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
    counted.promptTokens += toolTokens + messageTokens + TOKENS_PER_REPLY;
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

const textOf = (messages: readonly { content?: unknown }[]): string =>
  messages
    .map((message) => (typeof message.content === 'string' ? message.content : JSON.stringify(message)))
    .join('\n');
