import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { beginning } from '../output/table.js';

const MAX_VALUE = 60;
/** Words that are read back as text without quotes. */
const WORD = /^[a-z_][\w/:-]*(?:\.[\w/:-]+)*$/i;
const OTHER_VALUES = new Set(['true', 'false', 'null']);

const isWord = (value: Json): value is string =>
  typeof value === 'string' && WORD.test(value) && !OTHER_VALUES.has(value);

const valueText = (value: Json): string => (isWord(value) ? value : JSON.stringify(value));

/** The values of a parameter in the notation of `--space`. */
function axisText(axis: Json): string {
  if (isObject(axis) && 'min' in axis) {
    const range = `${valueText(axis.min!)}..${valueText(axis.max ?? null)}`;
    if (axis.step !== undefined) return `${range}/${valueText(axis.step)}`;
    return `${range}:${valueText(axis.levels ?? null)}${axis.scale === undefined ? '' : `:${valueText(axis.scale)}`}`;
  }
  if (!Array.isArray(axis)) return valueText(axis);
  const isPlain = axis.length > 0 && axis.every((value) => !Array.isArray(value) && !isObject(value));
  return isPlain ? axis.map(valueText).join(',') : JSON.stringify(axis);
}

/** A search space in the notation of `--space`: "temperature=0..1/0.25 top_p=0.5,1". */
export const spaceText = (space: JsonObject): string =>
  Object.entries(space)
    .map(([name, axis]) => `${name}=${axisText(axis)}`)
    .join(' ');

/** A configuration: "temperature=0.2 top_p=1". Long values are cut. */
export const configText = (config: JsonObject): string =>
  Object.entries(config)
    .map(([name, value]) => {
      const short = typeof value === 'string' ? value.slice(0, MAX_VALUE + 1) : value;
      return `${beginning(name, MAX_VALUE)}=${beginning(valueText(short), MAX_VALUE)}`;
    })
    .join(' ') || 'the base';
