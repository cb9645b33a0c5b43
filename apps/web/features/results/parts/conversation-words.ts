import type { z } from 'zod';
import type { AnsweredCall as AnsweredCallSchema } from '#lib/contracts/conversation-played';
import { valueWords } from '#lib/contracts/difference-words';
import { isObject, toText, type Json } from '#lib/contracts/json/json';
import type { Evidence } from '#lib/contracts/verdict';

export type AnsweredCall = z.infer<typeof AnsweredCallSchema>;
type Change = AnsweredCall['changes'][number];
export type ConversationEvidence = NonNullable<z.infer<typeof Evidence>['conversation']>;

/** A place in the state. */
const placeWords = (pointer: string): string => (pointer === '' ? 'the whole state' : pointer);

/** `/orders/17/status: "packed" → "cancelled"`: an operation on the state; undefined for one that changes nothing. */
export function changeWords({ op, path, from, value, was }: Change): string | undefined {
  const place = placeWords(path);
  switch (op) {
    case 'test':
      return undefined;
    case 'remove':
      return was === undefined ? `${place}: removed` : `${place}: ${valueWords(was)} removed`;
    case 'move':
      return `${place}: moved from ${placeWords(from ?? '')}`;
    case 'copy':
      return `${place}: copied from ${placeWords(from ?? '')}`;
    default:
      // A large value that was there before is not kept.
      if (was === undefined) return `${place}: ${valueWords(value)}${op === 'add' ? ' added' : ''}`;
      return `${place}: ${valueWords(was)} → ${valueWords(value)}`;
  }
}

const PROBLEMS: Record<NonNullable<AnsweredCall['problem']>, string> = {
  unreadable: 'its arguments are unreadable',
  unknown_tool: 'there is no such tool',
  invalid: 'its arguments break the schema of the tool',
  no_rule: 'no rule of the tool holds',
  no_such_value: 'a pointer of the rule leads to nothing',
  patch_failed: 'the effects of the rule do not apply',
};
const FAULTS: Record<NonNullable<AnsweredCall['fault']>, string> = {
  error: 'the rule answers with an error',
  truncated: 'the rule cuts the answer',
  malformed: 'the rule spoils the answer',
};

/** "rule 2; the rule cuts the answer; 500 ms": how a call came to its answer. */
export function answeredWords({ rule, problem, fault, delay_ms: delay }: AnsweredCall): string {
  return [
    ...(rule === null ? [] : [`rule ${rule + 1}`]),
    ...(problem === undefined ? [] : [PROBLEMS[problem]]),
    ...(fault === undefined ? [] : [FAULTS[fault]]),
    ...(delay ? [`takes ${delay.toLocaleString('en')} ms`] : []),
  ].join('; ');
}

const listed = (texts: Json | undefined): string => [texts ?? []].flat().map(valueWords).join(' or ');
const within = (epsilon: Json | undefined): string => (epsilon === undefined ? '' : ` within ${valueWords(epsilon)}`);

/** `contains "cancelled" or "canceled"`: a check of the answer. */
export function checkWords(check: Json | undefined): string {
  if (!isObject(check)) return 'check';
  const of = check.of === 'last' ? ' (last answer)' : '';
  return `${checkedWords(check)}${of}`;
}

function checkedWords(check: Record<string, Json>): string {
  const { epsilon, quotes } = check;
  if (check.contains !== undefined) return `contains ${listed(check.contains)}`;
  if (check.not_contains !== undefined) return `does not contain ${listed(check.not_contains)}`;
  if (check.regex !== undefined) return `matches ${valueWords(check.regex)}`;
  if (check.not_regex !== undefined) return `does not match ${valueWords(check.not_regex)}`;
  if (check.equals !== undefined) return `is ${valueWords(check.equals)}`;
  if (check.number !== undefined) return `has the number ${valueWords(check.number)}${within(epsilon)}`;
  if (isObject(quotes))
    return `quotes ${placeWords(toText(quotes.pointer ?? ''))} of the last answer of ${toText(quotes.tool ?? '')}`;
  return `quotes ${placeWords(toText(quotes ?? ''))} of the state${within(epsilon)}`;
}

/** "2 calls repeat one that failed. 1 call after the goal was reached. Recovered from an error." */
export function courseWords(evidence: ConversationEvidence): string {
  const { efficiency, repeated_failures: repeated, calls_after_goal: late, recovered, fabricated } = evidence;
  return [
    ...(efficiency === null ? [] : [`Efficiency ${(efficiency * 100).toFixed(0)} %.`]),
    ...(repeated > 0 ? [`${repeated === 1 ? '1 call repeats' : `${repeated} calls repeat`} one that failed.`] : []),
    ...(late > 0 ? [`${late === 1 ? '1 call' : `${late} calls`} after the goal was reached.`] : []),
    ...(recovered === null ? [] : [recovered === 1 ? 'Recovered from an error.' : 'Did not recover from an error.']),
    ...(fabricated === 1 ? ['The answer claims what the state does not hold.'] : []),
  ].join(' ');
}
