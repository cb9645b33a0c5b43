import type { AnswerCheck } from '#lib/contracts/conversation';
import type { PlayedRound } from '#lib/contracts/conversation-played';
import { isNumber, isObject, numberSource, parseJson, type Json, type RawNumber } from '#lib/contracts/json/json';
import { compilePattern, newFindings, textIncludes } from '../arguments/compare-leaves.js';
import { distanceOf } from '../arguments/decimal.js';
import { commonForm } from '../arguments/text-form.js';
import { valueAt } from './pointer.js';

/** What the answers of a conversation are judged by. */
export interface AnswerContext {
  /** The texts of the replies that call nothing. */
  texts: readonly string[];
  /** At the end. */
  state: Json;
  rounds: readonly Pick<PlayedRound, 'calls'>[];
}

/** Whether a check wants something said, and not something left unsaid. */
export const isPositive = (check: AnswerCheck): boolean => !('not_contains' in check || 'not_regex' in check);

/** Whether a check of the goal's `answer` holds, and if not, why. */
export function checkAnswer(check: AnswerCheck, context: AnswerContext): { holds: boolean; note?: string } {
  const { texts } = context;
  const looked = check.of === 'last' ? texts.slice(-1) : texts;
  const which = check.of === 'last' ? 'The last answer' : looked.length === 1 ? 'The answer' : 'No answer';
  const says = (found: boolean, what: string): { holds: boolean; note?: string } => {
    if (found) return { holds: true };
    if (looked.length === 0) return { holds: false, note: `There is no answer in words: ${what} is missing.` };
    return { holds: false, note: which === 'No answer' ? `No answer has ${what}.` : `${which} does not have ${what}.` };
  };
  const saysNot = (found: string | undefined): { holds: boolean; note?: string } =>
    found === undefined ? { holds: true } : { holds: false, note: `An answer has ${show(found)}.` };
  if ('contains' in check) {
    const parts = [check.contains].flat();
    return says(
      parts.some((part) => looked.some((text) => contains(text, part))),
      parts.map(show).join(' or '),
    );
  }
  if ('not_contains' in check)
    return saysNot([check.not_contains].flat().find((part) => looked.some((text) => contains(text, part))));
  if ('regex' in check)
    return says(
      looked.some((text) => compilePattern(check.regex).test(text)),
      `the pattern ${show(check.regex)}`,
    );
  if ('not_regex' in check)
    return saysNot(looked.some((text) => compilePattern(check.not_regex).test(text)) ? check.not_regex : undefined);
  if ('equals' in check) {
    const wanted = withoutBlanks(check.equals);
    return says(
      looked.some((text) => withoutBlanks(text) === wanted),
      `the words ${show(check.equals)}, and no others`,
    );
  }
  if ('number' in check)
    return says(
      looked.some((text) => hasNumber(text, check.number, check.epsilon ?? 0)),
      `the number ${check.number}`,
    );
  const quoted = quotedValue(check.quotes, context);
  if (quoted === undefined)
    return { holds: false, note: `There is nothing to quote at ${describeQuote(check.quotes)}.` };
  return says(
    looked.some((text) => quotes(text, quoted, check.epsilon ?? 0)),
    `${show(quoted)}, which is at ${describeQuote(check.quotes)}`,
  );
}

const MAX_SHOWN = 100;
function show(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

const contains = (text: string, part: string): boolean => textIncludes(text, part, newFindings());
const withoutBlanks = (text: string): string => commonForm(text).replaceAll(/\s+/g, '');

type Quotes = Extract<AnswerCheck, { quotes: unknown }>['quotes'];

const describeQuote = (quotes: Quotes): string =>
  typeof quotes === 'string'
    ? `"${quotes}" of the final state`
    : `"${quotes.pointer}" of the last answer of ${quotes.tool}`;

/** The value at a pointer into the final state, or into the last answer of a tool that is not an error. */
function quotedValue(quotes: Quotes, { state, rounds }: AnswerContext): Json | undefined {
  if (typeof quotes === 'string') return valueAt(state, quotes);
  const name = quotes.tool.toLowerCase();
  const answer = rounds
    .flatMap(({ calls }) => calls)
    .findLast((call) => call.name.toLowerCase() === name && !call.is_error)?.answer;
  return answer === undefined ? undefined : valueAt(jsonOr(answer), quotes.pointer);
}

function jsonOr(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

function quotes(text: string, value: Json, epsilon: number): boolean {
  if (isNumber(value)) return hasNumber(text, value, epsilon);
  if (isObject(value) || Array.isArray(value))
    return withoutBlanks(text).includes(withoutBlanks(JSON.stringify(value)));
  if (typeof value !== 'string') return hasWords(text, String(value));
  const trimmed = value.trim();
  // "10" is not quoted by "100".
  return NUMBER.test(trimmed)
    ? numbersIn(text).some((number) => isWithin(number, trimmed, 0))
    : hasWords(text, trimmed);
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

const MAX_WORDS = 1000;

/** Whether a text has these words, not as a part of longer ones. */
function hasWords(text: string, words: string): boolean {
  if (words === '') return false;
  // No part of a longer word, and long ones take long to find in texts that repeat themselves.
  if (words.length > MAX_WORDS) return commonForm(text).includes(commonForm(words));
  const [all, part] = [commonForm(text), commonForm(words)];
  const isInWord = (inner: string | undefined, outer: string | undefined): boolean =>
    inner !== undefined && outer !== undefined && LETTER_OR_DIGIT.test(inner) && LETTER_OR_DIGIT.test(outer);
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, at + 1)) {
    const end = at + part.length;
    if (!isInWord(part[0], all[at - 1]) && !isInWord(part.at(-1), all[end])) return true;
  }
  return false;
}

/** Whether a text has a number as a whole one. */
export function hasNumber(text: string, wanted: number | RawNumber, epsilon: number): boolean {
  const source = numberSource(wanted);
  return numbersIn(text).some((number) => isWithin(number, source, epsilon));
}

const isWithin = (a: string, b: string, epsilon: number): boolean => distanceOf(a, b, epsilon).within;

/** Nobody means longer ones, and take long to compare. */
const MAX_DIGITS = 60;
/**
 * A number in a text: `1,250.5` with its groups of thousands, or digits with a fraction. It neither follows a letter
 * nor is it a part of a longer row of digits and periods, such as a version.
 */
const NOT_WITHIN_WORDS = /(?<![\p{L}\p{N}])(?<!\p{N}\.)(?<!\p{N}_)(?<!\p{L}_)/u.source;
const DIGITS = /(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)/.source;
const EXPONENT = /(?:[eE][+-]?\d{1,3}(?![\p{L}\p{N}]))?/u.source;
const NOTHING_MORE = /(?![\p{N}])(?!\.\d)/u.source;
const NUMBER_IN_TEXT = new RegExp(NOT_WITHIN_WORDS + DIGITS + EXPONENT + NOTHING_MORE, 'gu');
/** A minus right before its number or currency; with a blank behind it, it is a dash. */
const SIGN_BEFORE = /(?<![\p{L}\p{N}])[-\u2212]\p{Sc}?$/u;
const SIGN_REACH = 3;

/** The numbers of a text, each in the form of JSON. */
function numbersIn(text: string): string[] {
  const numbers: string[] = [];
  for (const match of text.matchAll(NUMBER_IN_TEXT)) {
    if (match[0].length > MAX_DIGITS) continue;
    const isNegative = SIGN_BEFORE.test(text.slice(Math.max(0, match.index - SIGN_REACH), match.index));
    numbers.push((isNegative ? '-' : '') + plainNumber(match[0]));
  }
  return numbers;
}

function plainNumber(written: string): string {
  const [whole, ...rest] = written.replaceAll(',', '').split(/(?=[.eE])/);
  const start = whole!.startsWith('.') ? `0${whole}` : whole!.replace(/^0+(?=\d)/, '');
  return start + rest.join('');
}
