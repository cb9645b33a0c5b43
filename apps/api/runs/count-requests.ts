import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { RunConfig, RunInput } from '#lib/contracts/run';
import type { Tool } from '#lib/contracts/tool';
import type { Connection } from '#lib/db/read/for-workers/connections';
import { buildRequest, toRequestTools, expectsNoCall } from '#lib/providers/build-request';
import { loadTokenCounter } from '#lib/providers/count-tokens';
import { requestKey } from '#lib/providers/request-key';
import { toolSetOf } from '#lib/scoring/cases/tool-set';

/** A reply's frame and each message's cost some tokens beside their text (OpenAI cookbook, "How to count tokens"). */
const TOKENS_A_MESSAGE = 3;
const TOKENS_A_REPLY = 3;
/** Requests are built and counted until they have so many characters; one may have megabytes of tools and messages. */
const MOST_CHARACTERS = 64 * 2 ** 20;

/** Requests to count, for each target of a run. */
export interface ToCount {
  input: RunInput & Pick<RunConfig, 'metrics' | 'cache'>;
  suite: { systemPrompt: string | null; tools: readonly Tool[] };
  targets: readonly {
    modelId: string;
    providerId: string;
    params: JsonObject;
    systemPrompt: string | null;
    /** Undefined when the provider has it no more. */
    model: Pick<Connection, 'kind' | 'baseUrl' | 'unsupportedParams' | 'defaultParams' | 'refusesRequired'> | undefined;
  }[];
}

/** Of a target: how many of the cases were looked at, and what was found. */
export interface Counted {
  cases: number;
  promptTokens: number;
  /** By what stored replies are found, in hex; none where the run uses none. */
  keys: string[];
  tokensBy: string;
}

/**
 * The prompt tokens that requests of cases would have.
 * @param bodies the cases' JSON
 */
export async function countRequests({ input, suite, targets }: ToCount, bodies: readonly string[]): Promise<Counted[]> {
  const cases = bodies.map((body) => parseJson(body) as unknown as CaseInput);
  return Promise.all(
    targets.map(async ({ model, ...target }): Promise<Counted> => {
      const counter = await loadTokenCounter(target.modelId);
      const tokensOf = new WeakMap<object, number>();
      const counted: Counted = { cases: 0, promptTokens: 0, keys: [], tokensBy: counter.name };
      let characters = 0;
      for (const one of model ? cases : []) {
        const tools = toRequestTools(toolSetOf(one, suite.tools));
        const { body } = buildRequest({
          config: input,
          suite: { systemPrompt: suite.systemPrompt, tools: [] },
          input: one,
          expectsNoCall: expectsNoCall(one),
          model: model!,
          target: { ...target, name: target.modelId },
        });
        let toolTokens = tokensOf.get(tools);
        if (toolTokens === undefined) {
          const text = JSON.stringify(tools);
          characters += text.length;
          tokensOf.set(tools, (toolTokens = counter.count(text)));
        }
        const messages = body.messages as { content?: unknown }[];
        const text = messages
          .map((message) => (typeof message.content === 'string' ? message.content : JSON.stringify(message)))
          .join('\n');
        characters += text.length;
        counted.promptTokens += toolTokens + counter.count(text) + TOKENS_A_MESSAGE * messages.length + TOKENS_A_REPLY;
        const { providerId } = target;
        const { baseUrl, kind } = model!;
        if (input.cache === 'use')
          counted.keys.push(requestKey({ providerId, baseUrl, kind }, { ...body, tools }, 0).toString('hex'));
        counted.cases++;
        if (characters > MOST_CHARACTERS / targets.length) break;
      }
      return counted;
    }),
  );
}
