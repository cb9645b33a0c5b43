import { toText, type Json } from '#lib/contracts/json/json';

/** A run's defaults, as in RunInput; importing its code would cost more than this copy. */
const DEFAULTS: Record<string, string> = {
  temperature: '0',
  tool_choice: 'required',
  samples: '1',
  timeout_s: '120',
  params: '{}',
  tool_overrides: '{}',
  metrics: '[]',
  model_order: 'sequential',
  prompt_cache: 'off',
};
/** Keys stored with a run's settings that are not chosen settings. */
const NO_SETTINGS = new Set(['models', 'suite_id', 'experiment_id', 'name', 'note']);

const textOf = (value: unknown): string => toText(value as Json);

function defaultOf(key: string, config: Record<string, unknown>): string | undefined {
  if (key !== 'cache') return DEFAULTS[key];
  return textOf(config.temperature) === '0' && textOf(config.samples) === '1' ? 'use' : 'off';
}

/** The settings of a run that differ from the defaults, in order. */
export const changedSettings = (config: Record<string, unknown>): [string, unknown][] =>
  Object.entries(config).filter(
    ([key, value]) => value !== null && !NO_SETTINGS.has(key) && textOf(value) !== defaultOf(key, config),
  );

const WORDS: Record<string, string> = {
  temperature: 'Temperature',
  tool_choice: 'Tool choice',
  samples: 'Samples',
  max_tokens: 'Maximum reply tokens',
  timeout_s: 'Timeout in seconds',
  params: 'Parameters',
  system_prompt: 'System prompt',
  base_prompt: "Instead of the suite's system prompt",
  tool_overrides: 'Tool descriptions',
  prompt_version_id: 'Prompt version',
  metrics: 'Additional metrics',
  case_filter: 'Cases',
  model_order: 'Model order',
  budget: 'Budget',
  cache: 'Stored replies',
  prompt_cache: 'Provider cache',
  recorded: 'Recorded elsewhere',
};

/** The same with their labels. */
export const changedSettingNames = (config: Record<string, unknown>): { key: string; name: string; value: unknown }[] =>
  changedSettings(config).map(([key, value]) => ({ key, name: WORDS[key] ?? key.replaceAll('_', ' '), value }));
