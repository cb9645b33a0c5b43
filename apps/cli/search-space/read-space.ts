import { InvalidArgumentError } from 'commander';
import { parseJson, type Json } from '#lib/contracts/json/json';

/** A parameter and its values to try, in the form of the API. */
export type ParameterValues = [name: string, values: Json];

export const SPACE_NOTATION = 'temperature=0..1/0.25, max_tokens=64..1024:5:log or tool_choice=auto,required';

/**
 * Reads `PARAMETER=VALUES`. Values are a list (`0.5,1`), a range with a step (`0..1/0.25`) or with a number of values
 * (`64..1024:5`, `64..1024:5:log`), or JSON that begins with `[` or `{`.
 * @throws InvalidArgumentError
 */
export function readSpace(text: string): ParameterValues {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  const values = text.slice(at + 1).trim();
  if (name === '' || values === '') throw new InvalidArgumentError(`Write PARAMETER=VALUES: ${SPACE_NOTATION}.`);
  if (/^[[{]/.test(values)) return [name, readJson(values)];
  return [name, readRange(values) ?? splitValues(values).map(readValue)];
}

function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new InvalidArgumentError(`Values that begin with [ or { must be JSON: ${(error as Error).message}`);
  }
}

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
/** A JSON number. Its text is kept. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i;

/** Undefined if the text is not a range. */
function readRange(text: string): Json | undefined {
  const at = text.indexOf('..');
  if (at < 0 || !NUMBER.test(text.slice(0, at))) return undefined;
  const [, last, step, levels, scale] =
    /^([^/:]+)(?:\/([^/:]+)|:(\d+)(?::(log|linear))?)?$/.exec(text.slice(at + 2)) ?? [];
  if (last === undefined || (step === undefined && levels === undefined))
    throw new InvalidArgumentError('A range needs a step or a number of values: 0..1/0.25, 0..1:5 or 1..100:3:log.');
  const range = { min: numberOf(text.slice(0, at)), max: numberOf(last) };
  if (step !== undefined) return { ...range, step: numberOf(step) };
  return { ...range, levels: Number(levels), ...(scale !== undefined && { scale }) };
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!NUMBER.test(text.trim()) || !Number.isFinite(value))
    throw new InvalidArgumentError(`"${text}" in a range is not a number.`);
  return value;
}

/** The values between the commas; a comma in quotes is part of a value. */
function splitValues(text: string): string[] {
  const values: string[] = [];
  let start = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote === '"' && character === '\\') at++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (/["']/.test(character) && text.slice(start, at).trim() === '') quote = character;
    else if (character === ',') {
      values.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  if (quote !== '') throw new InvalidArgumentError(`A value begins with ${quote} but does not end with it.`);
  return [...values, text.slice(start).trim()];
}

const WORDS: Record<string, Json> = { true: true, false: false, null: null };

function readValue(text: string): Json {
  if (text === '') throw new InvalidArgumentError('A value is missing next to a comma. Write an empty string as "".');
  if (text.startsWith('"')) return readQuoted(text);
  if (text.startsWith("'")) {
    if (!text.endsWith("'") || text.length === 1)
      throw new InvalidArgumentError(`${text} continues after its closing quote.`);
    return text.slice(1, -1);
  }
  if (Object.hasOwn(WORDS, text)) return WORDS[text]!;
  if (NUMBER.test(text)) return JSON_NUMBER.test(text) ? parseJson(text) : Number(text);
  const [first] = text.split('..');
  if (text.includes('..') && NUMBER.test(first!))
    throw new InvalidArgumentError(`A range must be the only value: ${text} is one of several.`);
  return text;
}

function readQuoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new InvalidArgumentError(`${text} is not a JSON string.`);
  }
}
