import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

export const RULES = ['exact', 'contains', 'numeric_tolerance', 'datetime', 'regex', 'fuzzy', 'semantic'] as const;

/** The key of a rule's only setting: the tolerance of numbers or texts. */
export const settingOf = (rule: Json | undefined): 'epsilon' | 'threshold' | undefined =>
  rule === 'numeric_tolerance' ? 'epsilon' : rule === 'fuzzy' || rule === 'semantic' ? 'threshold' : undefined;

/** The request of the dialog's value, in which a rule that is no longer chosen may have left its setting. */
export function rescoreRequest({ param_scoring: rule, scoring_config: config, ...others }: JsonObject): JsonObject {
  const key = settingOf(rule);
  const setting = key && isObject(config) ? config[key] : undefined;
  if (setting !== undefined) return { ...others, scoring_config: { mode: rule!, [key!]: setting } };
  return rule === undefined ? others : { ...others, param_scoring: rule };
}

const WORDS: Record<string, string> = {
  suite_version: 'version',
  pass_threshold: 'pass threshold',
  param_scoring: 'arguments compared',
  scoring_config: 'arguments compared',
  metrics: 'metrics',
};

function optionInWords(key: string, value: unknown): string {
  if (key === 'metrics')
    return (Array.isArray(value) ? value : [])
      .flatMap((one) => (isObject(one) ? [String(one.as ?? one.id)] : []))
      .join(', ');
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${String(one)}`)
    .join(', ');
}

/** A rescore's changed settings in words: "pass threshold 0.8, arguments compared fuzzy". */
export function optionsInWords(options: Record<string, unknown>): string {
  const parts = Object.entries(options).flatMap(([key, value]) => {
    if (value == null || !Object.hasOwn(WORDS, key)) return [];
    const words = optionInWords(key, value);
    return words === '' ? [] : [`${WORDS[key]!} ${words}`];
  });
  return parts.length > 0 ? parts.join('; ') : 'the settings of the run';
}
