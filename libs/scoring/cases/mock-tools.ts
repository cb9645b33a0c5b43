import type { CaseInput } from '#lib/contracts/case';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ParsedCall } from '#lib/contracts/verdict';
import { matchArguments, NOTHING_DECLARED } from '../arguments/match-arguments.js';

const DEFAULT_ANSWER: Json = { status: 'ok' };

/**
 * Plays the tools of a chain: answers each call from `mock_responses`. A mock is a fixed answer, a list of answers that
 * are used in turn, repeating the last one, or a list of `{when, respond}`. In the latter, the first entry whose `when`
 * matches the arguments answers; an entry without `when` always matches. A tool without a matching mock answers
 * `{"status": "ok"}`.
 * @param used the number of earlier calls of each tool, by its name in lower case; this function updates it
 * @returns a function that returns the text of the answer to a call
 */
export function mockTools(
  { mock_responses: mocks }: CaseInput,
  used = new Map<string, number>(),
): (call: ParsedCall) => string {
  const byName = new Map(Object.entries(mocks ?? {}).map(([name, mock]) => [name.toLowerCase(), mock]));
  return (call) => {
    const name = call.name.toLowerCase();
    const mock = byName.get(name);
    const turn = used.get(name) ?? 0;
    used.set(name, turn + 1);
    return textOf(mock === undefined ? DEFAULT_ANSWER : answerOf(mock, call, turn));
  };
}

function answerOf(mock: Json, call: ParsedCall, turn: number): Json {
  if (!Array.isArray(mock)) return mock;
  if (mock.length > 0 && mock.every(isConditional))
    return mock.find(({ when }) => when === undefined || matches(when, call))?.respond ?? DEFAULT_ANSWER;
  return mock[Math.min(turn, mock.length - 1)] ?? DEFAULT_ANSWER;
}

type Conditional = { when?: JsonObject; respond: Json };
const isConditional = (mock: Json): mock is Conditional & JsonObject =>
  isObject(mock) && 'respond' in mock && (mock.when === undefined || isObject(mock.when));

const matches = (when: JsonObject, call: ParsedCall): boolean =>
  call.arguments !== null && matchArguments(when, call.arguments, NOTHING_DECLARED, undefined, undefined).score === 1;

const textOf = (answer: Json): string => (typeof answer === 'string' ? answer : JSON.stringify(answer));
