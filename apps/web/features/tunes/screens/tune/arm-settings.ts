import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ParamTuneInput } from '#lib/param-tune/contract';
import { configInWords } from '../../../runs/parts/setting-words.js';
import { shellQuoted } from '../../../results/parts/shell-quoted.js';

const SETTINGS = ['temperature', 'tool_choice', 'max_tokens'] as const;

/** The run settings of an arm: those of the base, with the values of its parameters. */
export function settingsOf(base: ParamTuneInput['base'], config: JsonObject): JsonObject {
  const { system_prompt: _prompt, ...own } = base as unknown as JsonObject;
  const settings: JsonObject = { ...own, params: { ...(isObject(own.params) ? own.params : {}) } };
  for (const [name, value] of Object.entries(config))
    if ((SETTINGS as readonly string[]).includes(name)) settings[name] = value;
    else (settings.params as JsonObject)[name] = value;
  return settings;
}

/** "temperature 0.2, top_p 1" */
export const configText = (config: JsonObject): string => configInWords(config, 'the base');

interface CommandInput {
  suiteId: string;
  /** As `provider_key::model_id`. */
  target: string;
  config: JsonObject;
  input: Pick<ParamTuneInput, 'base' | 'models' | 'timeout_s'>;
}

/**
 * A command that runs the suite with the settings of an arm.
 * @returns undefined if the command line cannot express it
 */
export function runCommand({ suiteId, target, config, input }: CommandInput): string | undefined {
  const settings = settingsOf(input.base, config);
  const prompt = promptFor(target, input);
  // Commas separate models; a text that begins with "@" names a file.
  if (target.includes(',') || prompt?.startsWith('@')) return undefined;
  const option = (name: string, value: Json | undefined): string[] =>
    value == null ? [] : [`--${name} ${shellQuoted(toText(value))}`];
  const params = settings.params as JsonObject;
  return [
    `toolmark run ${shellQuoted(suiteId)}`,
    ...option('models', target),
    ...option('temperature', settings.temperature),
    ...option('tool-choice', settings.tool_choice),
    ...option('max-tokens', settings.max_tokens),
    ...option('params', Object.keys(params).length > 0 ? JSON.stringify(params) : undefined),
    ...option('timeout', input.timeout_s as Json),
    ...option('system-prompt', prompt),
  ].join(' \\\n  ');
}

/** The base's prompt for this model, by its full name, or by the name that the tune was given. */
function promptFor(target: string, { base, models }: CommandInput['input']): string | undefined {
  const prompts = base.system_prompt;
  if (prompts === null || typeof prompts === 'string') return prompts || undefined;
  const asked = models.find((model) => target.endsWith(`::${model}`));
  const key = [target, asked, '*'].find((one) => one !== undefined && Object.hasOwn(prompts, one));
  return key === undefined ? undefined : prompts[key] || undefined;
}
