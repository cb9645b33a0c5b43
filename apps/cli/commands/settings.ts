import { Option, type Command } from 'commander';
import { number, integer } from '../command.js';
import { readText } from '../suite-files/read-suite-file.js';
import { CACHE_MODES, PROMPT_CACHE_MODES } from '#lib/contracts/values/runs';

/** An option, and the request field that takes its value. */
export interface Setting {
  option: Option;
  /** "base.temperature" is a nested field. Null if the command handles the value itself. */
  field: string | null;
}

/** How the value of an option is parsed, or its choices. */
type ValueParser = readonly string[] | ((text: string, previous: never) => unknown);

/** A setting whose field has the name of its option, unless another is given. */
export function setting(flags: string, description: string, reading?: ValueParser, field?: Setting['field']): Setting {
  const option = new Option(flags, description);
  if (typeof reading === 'function') option.argParser(reading as (text: string) => unknown);
  else if (reading) option.choices(reading);
  const ownName = option.attributeName().replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { option, field: field === undefined ? ownName : field };
}

export const addSettings = (command: Command, settings: readonly Setting[]): Command =>
  settings.reduce((all, { option }) => all.addOption(option), command);

type Fields = { [field: string]: unknown };

/** The API fields for these options. Omitted ones are undefined and get the API's default. */
export function fieldsOf(settings: readonly Setting[], options: object): Fields {
  const fields: Fields = {};
  for (const { option, field } of settings) {
    if (field === null) continue;
    const [outer, inner] = field.split('.') as [string, string?];
    const given = (options as Fields)[option.attributeName()];
    const value = given === Infinity ? null : given;
    if (inner === undefined || value === undefined) fields[outer] ??= value;
    else fields[outer] = { ...(fields[outer] as Fields | undefined), [inner]: value };
  }
  return fields;
}

/** Settings shared by runs, tunes and judges; the wording differs. */
export const budgetSettings = (what: string): Setting[] => [
  setting('--max-requests <n>', `maximum requests of the ${what}`, integer, 'budget.max_requests'),
  setting('--max-cost-usd <dollars>', `maximum cost of the ${what} in US dollars`, number, 'budget.max_cost_usd'),
];
export const CACHE_SETTINGS = [
  setting('--cache <mode>', 'whether stored replies answer requests', CACHE_MODES),
  setting('--prompt-cache <time>', 'ask providers to cache tools and system prompt', PROMPT_CACHE_MODES),
];
export const experimentSetting = (description: string): Setting =>
  setting('--experiment <name>', description, String, null);

export const budgetOf = ({ maxRequests, maxCostUsd }: { maxRequests?: number; maxCostUsd?: number }) =>
  maxRequests === undefined && maxCostUsd === undefined
    ? undefined
    : { max_requests: maxRequests, max_cost_usd: maxCostUsd };

/** `TARGET=VALUE`, several times. A model's id may contain a colon, but hardly an equals sign. */
export const perTarget =
  <Value>(read: (value: string) => Value) =>
  (text: string, previous: Record<string, Value> = {}): Record<string, Value> => {
    const at = text.indexOf('=');
    return { ...previous, [at < 0 ? '' : text.slice(0, at)]: read(text.slice(at + 1)) };
  };

export const textOrFile = (text: string): string => (text.startsWith('@') ? readText(text.slice(1)) : text);
