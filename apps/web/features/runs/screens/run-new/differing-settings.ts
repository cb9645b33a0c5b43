import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { emptyRun } from './new-run.js';

const WORDS: Record<string, string> = {
  name: 'name',
  note: 'note',
  temperature: 'temperature',
  tool_choice: 'tool choice',
  prompt_version_id: 'prompt version',
  system_prompt: 'system prompt',
  case_filter: 'some cases',
  max_tokens: 'reply tokens',
  timeout_s: 'timeout',
  model_order: 'model order',
  cache: 'stored replies',
  prompt_cache: 'provider cache',
  params: 'provider parameters',
  metrics: 'metrics',
  judge: 'judge',
  budget: 'limits',
  more: 'texts',
};
/** Those whose value is a word or a number. */
const WITH_VALUE = new Set([
  ...['name', 'temperature', 'tool_choice', 'max_tokens', 'timeout_s', 'model_order', 'cache', 'prompt_cache'],
]);

const DEFAULTS = emptyRun('');
const isEmpty = (value: Json | undefined): boolean =>
  value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** The settings of a new run beyond its first fields that differ from the defaults, in words. */
export function differingSettings(run: JsonObject): string[] {
  const settings: JsonObject = { ...run, judge: (isObject(run.judge) ? run.judge.when : undefined) ?? null };
  return Object.entries(WORDS).flatMap(([key, words]) => {
    const value = settings[key];
    const usual = key === 'judge' ? undefined : DEFAULTS[key];
    if (isEmpty(value) || toText(value) === toText(usual)) return [];
    return [WITH_VALUE.has(key) ? `${words} ${toText(value)}` : words];
  });
}
