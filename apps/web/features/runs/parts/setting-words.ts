import { isNumber, isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';

/** Settings within a sentence: "temperature 0.5, tool choice auto". */
const NAMES: Record<string, string> = {
  tool_choice: 'tool choice',
  max_tokens: 'token limit',
  timeout_s: 'timeout',
  model_order: 'model order',
  prompt_cache: 'provider cache',
  system_prompt: 'system prompt',
  max_requests: 'requests',
  max_cost_usd: 'US dollars',
};

const nameOf = (key: string): string => NAMES[key] ?? key;

/** The name of a setting as a label: "Tool choice". */
export const settingName = (key: string): string => {
  const name = NAMES[key] ?? key.replaceAll('_', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** What a value of a setting says; anything without words of its own as its text. */
const VALUES: Record<string, (value: Json) => string> = {
  metrics: (value) => listed(value, metricInWords),
  case_filter: (value) => (isObject(value) ? filterInWords(value) : 'all cases'),
  budget: (value) => (isObject(value) ? budgetInWords(value) : 'none'),
  params: (value) => configInWords(value, 'none'),
  base: (value) => configInWords(value, 'the defaults'),
  search_space: (value) => spaceInWords(value, '\n'),
  per_model_search_spaces: (value) =>
    entriesOf(value)
      .map(([model, space]) => `${model}: ${spaceInWords(space, '; ')}`)
      .join('\n'),
  tool_overrides: (value) => counted(entriesOf(value).length, 'text'),
  system_prompt: (value) => (isObject(value) ? `of ${counted(entriesOf(value).length, 'model')}` : toText(value)),
  judge: judgeInWords,
  timeout_s: (value) => `${toText(value)} s`,
  model_order: (value) => (value === 'parallel' ? 'all at once' : 'one after another'),
};

/** A setting's value in words: "temperature 0 to 1 by 0.25" of a search space, "smoke or slow" of tags. */
export function settingInWords(key: string, value: Json): string {
  const words = Object.hasOwn(VALUES, key) ? VALUES[key]!(value) : valueInWords(value);
  return words === '' ? 'none' : words;
}

/** Settings on one line, without those that say nothing. @param empty where nothing is set */
export function configInWords(config: Json, empty: string): string {
  const parts = entriesOf(config).flatMap(([key, value]) => {
    if (key === 'params') return isFilled(value) ? [configInWords(value, '')] : [];
    if (value === null) return key === 'max_tokens' ? ['no token limit'] : [];
    return isObject(value) && !isFilled(value) ? [] : [`${nameOf(key)} ${settingInWords(key, value)}`];
  });
  return parts.join(', ') || empty;
}

/** "temperature 0 to 1 by 0.25", "tool choice auto or required" */
const spaceInWords = (space: Json, separator: string): string =>
  entriesOf(space)
    .map(([name, axis]) => `${nameOf(name)} ${axisInWords(axis)}`)
    .join(separator);

function axisInWords(axis: Json): string {
  if (Array.isArray(axis)) return listed(axis, valueInWords);
  if (!isObject(axis)) return valueInWords(axis);
  const { min, max, step, levels, scale, values } = axis;
  if (Array.isArray(values)) return listed(values, valueInWords);
  if (min === undefined || max === undefined) return configInWords(axis, 'any value');
  return [
    `${toText(min)} to ${toText(max)}`,
    ...(step === undefined ? [] : [`by ${toText(step)}`]),
    ...(levels === undefined ? [] : [`in ${toText(levels)} levels`]),
    ...(scale === undefined ? [] : [`(${toText(scale)})`]),
  ].join(' ');
}

function filterInWords({ category, tags }: JsonObject): string {
  const parts = [
    ...(category == null ? [] : [`category ${toText(category)}`]),
    ...(Array.isArray(tags) && tags.length > 0
      ? [`${tags.length === 1 ? 'tag' : 'tags'} ${listed(tags, toText, ' or ')}`]
      : []),
  ];
  return parts.join(', ') || 'all cases';
}

function budgetInWords({ max_cost_usd: cost, max_requests: requests }: JsonObject): string {
  const parts = [
    ...(cost == null ? [] : [`$${toText(cost)}`]),
    ...(requests == null ? [] : [`${Number(toText(requests)).toLocaleString('en')} requests`]),
  ];
  return parts.join(', ') || 'none';
}

function metricInWords(metric: Json): string {
  if (!isObject(metric)) return toText(metric);
  const { id, as, options } = metric;
  const name = toText(as ?? id ?? '');
  return isFilled(options) ? `${name} (${configInWords(options, '')})` : name;
}

function judgeInWords(value: Json): string {
  if (!isObject(value)) return toText(value);
  const { judge, when, below } = value;
  return [
    judge == null ? 'the default judge' : toText(judge),
    ...(below === undefined ? [] : [`below ${toText(below)}`]),
    ...(when === undefined ? [] : [when === 'during' ? 'while it runs' : 'when it has ended']),
  ].join(', ');
}

function valueInWords(value: Json): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return listed(value, valueInWords);
  if (isObject(value) && !isNumber(value)) return configInWords(value, 'none');
  return toText(value);
}

const listed = (values: Json, inWords: (value: Json) => string, separator = ', '): string =>
  (Array.isArray(values) ? values : [values]).map(inWords).join(separator);

const counted = (n: number, what: string): string => `${n} ${n === 1 ? what : `${what}s`}`;
const entriesOf = (value: Json | undefined): [string, Json][] =>
  isObject(value) ? (Object.entries(value) as [string, Json][]) : [];
const isFilled = (value: Json | undefined): value is JsonObject => entriesOf(value).length > 0;
