import { createHash } from 'node:crypto';
import type { CaseInput } from '#lib/contracts/case';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { SettingChange, SettingChanges } from '#lib/contracts/learned';
import { memoize } from '#lib/contracts/memoize';
import type { RunConfig, ToolChoice } from '#lib/contracts/run-input';
import type { Tool } from '#lib/contracts/tool';
import { adaptRequest, isThinkingOff } from './learned/adapt-request.js';
import { digestOf } from './request-key.js';
import { joinSystemPrompts } from './system-prompt.js';

/** A deviation of a run from its settings; announced once per run. */
export interface Warning {
  code: string;
  message: string;
}

export interface BuiltRequest {
  /** As the run requests it. */
  asked: JsonObject;
  /** As the model accepts it, adapted by what was learned about it. */
  body: JsonObject;
  warnings: Warning[];
}

/**
 * Tools in the form of a request. Returns the same list for the same tools, because digests, token counts and names are
 * memoized by it.
 */
export const toRequestTools = memoize(
  (tools: readonly Tool[]) =>
    tools.map(({ type, function: described }) => ({ type, function: described })) as unknown as Json[],
);

/** The hosts' own parameters for the setting `prompt_cache`. Params may contain them, too. */
const CACHE_PARAMS = ['prompt_cache_key', 'cache_control'];

/**
 * Builds the chat completion request of a case for a model.
 * @param of.suite `tools`: those of the case, with the descriptions of the run
 */
export function buildRequest(of: {
  config: RunConfig;
  suite: { systemPrompt: string | null; tools: readonly Tool[] };
  input: CaseInput;
  expectsNoCall: boolean;
  target: { name: string; modelId: string; params: JsonObject; systemPrompt: string | null };
  model: { unsupportedParams: string[]; defaultParams: JsonObject; learned: SettingChanges };
}): BuiltRequest {
  const { config, suite, input, target, model } = of;
  const warnings: Warning[] = [];
  const system = joinSystemPrompts(config.base_prompt ?? suite.systemPrompt, target.systemPrompt);
  const asked: JsonObject = {
    model: target.modelId,
    messages: [
      ...(system ? [{ role: 'system', content: system }] : []),
      ...((input.messages as unknown as Json[] | undefined) ?? [{ role: 'user', content: input.prompt ?? '' }]),
    ],
    temperature: config.temperature,
    ...(config.max_tokens !== null && { max_tokens: config.max_tokens }),
    ...model.defaultParams,
    ...config.params,
    ...target.params,
    tools: toRequestTools(suite.tools),
    tool_choice: chooseToolChoice(of, warnings),
    ...cacheRequestOf(config, system, toRequestTools(suite.tools)),
  };
  const unsupported = model.unsupportedParams.flatMap((name) =>
    CACHE_PARAMS.includes(name) ? [name, 'prompt_cache'] : [name],
  );
  for (const name of unsupported) {
    if (!(name in asked)) continue;
    delete asked[name];
    warnings.push({
      code: `unsupported:${target.name}:${name}`,
      message: `${target.name} does not support "${name}"; it was left out.`,
    });
  }
  const { body, adjusted } = adaptRequest(asked, model.learned);
  warnings.push(...adjustmentWarnings(target.name, adjusted, asked));
  if (model.learned.tool_choice === 'auto while thinking' && body.tool_choice === 'required' && isThinkingOff(body))
    warnings.push({
      code: `thinking_off:${target.name}`,
      message: `${target.name} takes tool_choice "required" because params turn its thinking off.`,
    });
  return { asked, body, warnings };
}

/**
 * The cache settings of a request. Providers are asked to cache the common start of a run's requests: the tools and the
 * system prompt.
 */
function cacheRequestOf(
  { prompt_cache: ttl = 'off' }: RunConfig,
  system: string | null,
  tools: Json[],
): { prompt_cache?: JsonObject } {
  if (ttl === 'off') return {};
  const prefix = createHash('sha256').update(`${digestOf(tools)} ${system ?? ''}`);
  const key = `toolmark-${prefix.digest('hex').slice(0, 32)}`;
  return { prompt_cache: { key, ttl, hasSystemPrompt: Boolean(system?.trim()) } };
}

function chooseToolChoice(
  { config, expectsNoCall, input }: Parameters<typeof buildRequest>[0],
  warnings: Warning[],
): ToolChoice {
  if (config.tool_choice !== 'required') return config.tool_choice;
  if (input.conversation) {
    warnings.push({
      code: 'conversation:auto',
      message: 'Conversations are sent with tool_choice "auto": with "required" no model can end them with an answer.',
    });
    return 'auto';
  }
  if (expectsNoCall) {
    warnings.push({
      code: 'abstention:auto',
      message: 'Cases that expect no call are sent with tool_choice "auto": with "required" no model can pass them.',
    });
    return 'auto';
  }
  return 'required';
}

/** @param asked the request before it was adjusted */
export const adjustmentWarnings = (target: string, adjusted: SettingChanges, asked: JsonObject): Warning[] =>
  Object.entries(adjusted).map(([setting, way]) => ({
    code: setting === 'tool_choice' ? `tool_choice:${target}` : `refused:${target}:${setting}`,
    message: `${target} ${describe(setting, way, asked)}`,
  }));

function describe(setting: string, way: SettingChange, asked: JsonObject): string {
  if (setting === 'tool_choice') {
    const refuses = `refuses tool_choice ${JSON.stringify(asked.tool_choice)}`;
    if (way === 'left out') return `${refuses}; none is sent.`;
    if (way === 'auto') return `${refuses}; "auto" is sent instead.`;
    return (
      `${refuses} while it thinks; "auto" is sent instead. To keep "required", turn thinking off in params: ` +
      '{"thinking": {"type": "disabled"}} at DeepSeek, {"enable_thinking": false} at Qwen.'
    );
  }
  const [, field] = /^messages\.(.+)$/.exec(setting) ?? [];
  const name =
    field === undefined ? `"${setting}"${setting === 'strict' ? ' of tools' : ''}` : `"${field}" in earlier replies`;
  if (way === 'sent back') return `misses ${name}; it is sent, empty where the model gave none.`;
  if (way === 'left out') return `refuses ${name}; it is left out.`;
  if (way.startsWith('at most ')) return `writes ${way} tokens, which is sent as "${setting}".`;
  return `refuses ${name}; "${way}" is sent instead.`;
}

export const expectsNoCall = (input: CaseInput): boolean =>
  input.should_call_tool === false || input.expected_tool === null || input.expected_calls?.length === 0;
