import { isObject, toText, type Json } from '#lib/contracts/json/json';
import { changedSettingNames } from './changed-settings.js';

/** Shown as texts of their own. */
const PROMPTS = new Set(['system_prompt', 'base_prompt']);
const MAX_LINES = 40;

const words = (key: string): string => key.replaceAll('_', ' ');

/** A value in words: "top p 0.9, seed 7", without braces and quotation marks. */
export function valueInWords(value: unknown): string {
  if (Array.isArray(value))
    return value.map((one) => (isMetric(one) ? metricInWords(one) : valueInWords(one))).join(', ');
  if (isObject(value as Json))
    return Object.entries(value as object)
      .filter(([, one]) => one !== null)
      .map(([key, one]) => `${words(key)} ${isObject(one as Json) ? `(${valueInWords(one)})` : valueInWords(one)}`)
      .join(', ');
  return typeof value === 'string' ? value : toText(value as Json);
}

interface Metric {
  id: string;
  as?: string;
  options?: object;
}
const isMetric = (value: unknown): value is Metric =>
  typeof value === 'object' && value !== null && typeof (value as Metric).id === 'string';

function metricInWords({ id, as, options = {} }: Metric): string {
  const set = valueInWords(options);
  return `${as !== undefined && as !== id ? `${as}: ` : ''}${words(id)}${set && ` (${set})`}`;
}

/** What differs from the defaults, each in words. Tools whose description was replaced are named. */
export const settingLines = (config: Record<string, unknown>): [name: string, text: string][] =>
  changedSettingNames(config)
    .filter(({ key }) => !PROMPTS.has(key))
    .slice(0, MAX_LINES)
    .map(({ key, name, value }): [string, string] => [
      name,
      key === 'tool_overrides' && isObject(value as Json)
        ? Object.keys(value as object).join(', ')
        : valueInWords(value),
    ])
    .filter(([, text]) => text !== '');

/** The system prompts that the run gave its models. */
export const systemPromptsOf = (config: Record<string, unknown>): [title: string, text: string][] =>
  changedSettingNames(config)
    .filter(({ key }) => PROMPTS.has(key))
    .flatMap(({ name, value }): [string, string][] =>
      isObject(value as Json)
        ? Object.entries(value as object).map(([model, text]) => [
            `${name} of ${model === '*' ? 'the other models' : model.slice(0, 200)}`,
            String(text),
          ])
        : [[name, String(value)]],
    );
