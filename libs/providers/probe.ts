import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { countMarks } from '#lib/contracts/json/count-values';
import type { CaseInput } from '#lib/contracts/case';
import type { Refusal, SettingChanges } from '#lib/contracts/learned';
import type { ProviderKind } from '#lib/contracts/provider';
import { RunInput, type RunConfig } from '#lib/contracts/run-input';
import type { Tool } from '#lib/contracts/tool';
import { withoutSlash } from '#lib/contracts/url';
import type { EgressSettings } from '#lib/egress/egress';
import { EgressPolicy } from '#lib/egress/policy';
import { buildRequest, type BuiltRequest } from './build-request.js';
import { createChatClient } from './chat.js';
import { classifyError, classifyStatus } from './classify-failure.js';
import { readError } from './dialects/read-errors.js';
import { ProviderFailure } from './failure.js';
import { errorSecretsOf, withAccess, type Endpoint, type Fetch } from './dialects/dialect.js';
import { DIALECTS } from './formats/formats.js';
import { createGuardedFetch } from './guarded/guarded-fetch.js';
import { ResponseTooLarge } from './guarded/response-limits.js';
import { readRefusal } from './learned/read-refusal.js';
import { maskKeys } from './guarded/mask-keys.js';

export interface ProbeTarget extends Endpoint {
  kind: ProviderKind;
  egress: EgressSettings;
}

interface ProbedModel {
  modelId: string;
  unsupportedParams?: string[];
  defaultParams?: JsonObject;
}

const PROBE_TIMEOUT_MS = 30_000;

/**
 * The part of a response that is read. The API's main thread parses it, which takes up to 30 ms. Some hosts list
 * hundreds of models with all their details, in almost a megabyte.
 */
const PROBE_LIMITS = {
  reply: { bytes: 2 ** 20, values: 10_000 },
  list: { bytes: 2 * 2 ** 20, values: 100_000 },
};
const MAX_LISTED_MODELS = 10_000;
/** Maximum length of a model id. */
const MAX_MODEL_ID = 200;

/** The run settings whose defaults the test uses. */
const { temperature, tool_choice: toolChoice } = RunInput.shape;
const DEFAULT_CONFIG = {
  temperature: temperature.parse(undefined),
  tool_choice: toolChoice.parse(undefined),
  max_tokens: null,
  params: {},
} as RunConfig;
const READY_TOOL: Tool = {
  type: 'function',
  function: {
    name: 'answer',
    description: 'Answers the user.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
};
/** The number of settings that a model may reject in one test. */
const MAX_REFUSALS = 12;

/**
 * Sends a run's default request, with one small tool, to check the address, the key and the model. Rejected settings
 * are adjusted, as in a run. Returns failures instead of throwing them.
 */
export async function probeProvider(
  target: ProbeTarget & ProbedModel,
  onRefusal: (refusal: Refusal) => Promise<void> = async () => {},
): Promise<{ ok: boolean; latencyMs: number; error: string | null }> {
  const { fetch, close } = boundedFetch(target, PROBE_LIMITS.reply);
  let started = performance.now();
  const latencyMs = (): number => Math.round(performance.now() - started);
  try {
    const client = createChatClient(target.kind, target, fetch);
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    let ways: SettingChanges = {};
    for (let refusals = 0; ; refusals++) {
      const { body } = probeRequest(target, ways);
      started = performance.now();
      try {
        await client.ask(body, { signal, timeoutMs: PROBE_TIMEOUT_MS });
        return { ok: true, latencyMs: latencyMs(), error: null };
      } catch (error) {
        const refusal = error instanceof ProviderFailure && readRefusal(error, body, ways, target.kind);
        if (!refusal || ways[refusal.setting] === refusal.way || refusals >= MAX_REFUSALS) throw error;
        await onRefusal(refusal);
        ways = { ...ways, [refusal.setting]: refusal.way };
      }
    }
  } catch (error) {
    return { ok: false, latencyMs: latencyMs(), error: (error as Error).message };
  } finally {
    void close();
  }
}

const probeRequest = (
  { modelId, unsupportedParams = [], defaultParams = {} }: ProbedModel,
  learned: SettingChanges,
): BuiltRequest =>
  buildRequest({
    config: DEFAULT_CONFIG,
    suite: { systemPrompt: null, tools: [READY_TOOL] },
    input: { prompt: 'Answer with the word: ready' } as CaseInput,
    expectsNoCall: false,
    target: { name: modelId, modelId, params: {}, systemPrompt: null },
    model: { unsupportedParams, defaultParams, learned },
  });

/** A guarded fetch for responses that are cheap to parse. It throws ResponseTooLarge. */
function boundedFetch(
  { egress }: ProbeTarget,
  { bytes, values }: { bytes: number; values: number },
): { fetch: Fetch; close: () => Promise<void> } {
  const guarded = createGuardedFetch({ egress, maxBytes: bytes });
  const fetch: Fetch = async (url, init) => {
    const response = await guarded.fetch(url, init);
    if (countMarks(Buffer.from(await response.clone().text())) <= values) return response;
    throw new ResponseTooLarge(
      `The provider's answer has more than ${values} values; it was not read. Is the base URL right?`,
    );
  };
  return { fetch, close: guarded.close };
}

/**
 * Returns the ids of the models that an endpoint lists.
 * @throws ProviderFailure when the endpoint does not list models, or too many
 */
export async function discoverModels(target: ProbeTarget): Promise<string[]> {
  const { fetch, close } = boundedFetch(target, PROBE_LIMITS.list);
  try {
    const { path, headers, modelIds } = DIALECTS[target.kind].modelList;
    const response = await fetch(withoutSlash(target.baseUrl).replace(path.version, '') + path.rest, {
      ...withAccess(headers(target.apiKey ?? ''), target),
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    if (!response.ok) {
      const { status, headers: errorHeaders, error, text } = await readError(response);
      throw classifyStatus(status, errorHeaders, error ?? text.slice(0, 2000), text.slice(0, 200), target);
    }
    // Ids are texts. The numbers in the response are not used, so they need not keep their source text.
    const body = JSON.parse(await response.text()) as Json;
    const ids = isObject(body) ? modelIds(body).filter((id) => id.length <= MAX_MODEL_ID) : [];
    if (ids.length <= MAX_LISTED_MODELS) return ids;
    throw new ResponseTooLarge(
      `It has ${ids.length} models, and ${MAX_LISTED_MODELS} can be listed. Models can be added by their names.`,
    );
  } catch (error) {
    const failure =
      error instanceof ProviderFailure
        ? error
        : error instanceof SyntaxError
          ? new ProviderFailure(
              'bad_response',
              'The endpoint does not list models as JSON. Is the base URL right? Most end in /v1.',
              false,
            )
          : classifyError(error, target.baseUrl);
    failure.message = maskKeys(failure.message, errorSecretsOf(target, 4));
    throw failure;
  } finally {
    void close();
  }
}

/**
 * Explains why an address cannot be a base URL, as far as that is possible without resolving its name.
 * @returns undefined if it can
 */
export function baseUrlProblem(baseUrl: string, egress: EgressSettings): string | undefined {
  const url = new URL(baseUrl);
  if (url.username || url.password) return 'holds a user name or password. Give the key in api_key.';
  return new EgressPolicy(egress).urlProblem(url);
}
