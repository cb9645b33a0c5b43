import type { CaseInput } from '#lib/contracts/case';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import type { RunConfig, ToolChoice } from '#lib/contracts/run';
import type { Tool } from '#lib/contracts/tool';
import { joinSystemPrompts } from './system-prompt.js';

/** Something that a run does differently than it was asked to; announced once per run. */
export interface Warning {
  code: string;
  message: string;
}

export interface BuiltRequest {
  body: JsonObject;
  toolChoice: ToolChoice;
  warnings: Warning[];
}

/**
 * Tools as requests have them. Returns the same list for the same tools, because digests, token counts and names are
 * memoized by it.
 */
export const toRequestTools = memoize(
  (tools: readonly Tool[]) =>
    tools.map(({ type, function: described }) => ({ type, function: described })) as unknown as Json[],
);

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
  model: { unsupportedParams: string[]; defaultParams: JsonObject; refusesRequired: boolean };
}): BuiltRequest {
  const { config, suite, input, target, model } = of;
  const warnings: Warning[] = [];
  const toolChoice = chooseToolChoice(of, warnings);
  const system = joinSystemPrompts(config.base_prompt ?? suite.systemPrompt, target.systemPrompt);
  const body: JsonObject = {
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
    tool_choice: toolChoice,
  };
  for (const name of model.unsupportedParams) {
    if (!(name in body)) continue;
    delete body[name];
    warnings.push({
      code: `unsupported:${target.name}:${name}`,
      message: `${target.name} does not support "${name}"; it was left out.`,
    });
  }
  return { body, toolChoice, warnings };
}

function chooseToolChoice(
  { config, expectsNoCall, target, model }: Parameters<typeof buildRequest>[0],
  warnings: Warning[],
): ToolChoice {
  if (config.tool_choice !== 'required') return config.tool_choice;
  if (expectsNoCall) {
    warnings.push({
      code: 'abstention:auto',
      message: 'Cases that expect no call are sent with tool_choice "auto": with "required" no model can pass them.',
    });
    return 'auto';
  }
  if (model.refusesRequired) {
    warnings.push(toolChoiceWarning(target.name));
    return 'auto';
  }
  return 'required';
}

export const toolChoiceWarning = (target: string): Warning => ({
  code: `tool_choice:${target}`,
  message: `${target} refuses tool_choice "required"; "auto" is sent instead.`,
});

export const expectsNoCall = (input: CaseInput): boolean =>
  input.should_call_tool === false || input.expected_tool === null || input.expected_calls?.length === 0;
