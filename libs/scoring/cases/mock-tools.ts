import type { CaseInput } from '#lib/contracts/case';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ParsedCall } from '#lib/contracts/verdict';
import { matchArguments } from '../house/match-arguments.js';

const WITHOUT_MOCK: Json = { status: 'ok' };

/**
 * Plays the tools of a chain: answers each call by `mock_responses`. An answer may be fixed; or a list, whose
 * members are used in turn, the last one again and again; or a list of `{when, respond}`, of which the first whose
 * `when` the arguments match answers (`when` left out matches always). A tool without a mock, or without one that
 * matches, answers `{"status": "ok"}`.
 * @param used how often each tool was called before, by its name in small letters; counted on here
 * @returns the text of the answer to the next call
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
    return textOf(mock === undefined ? WITHOUT_MOCK : answerOf(mock, call, turn));
  };
}

function answerOf(mock: Json, call: ParsedCall, turn: number): Json {
  if (!Array.isArray(mock)) return mock;
  if (mock.length > 0 && mock.every(isConditional))
    return mock.find(({ when }) => when === undefined || matches(when, call))?.respond ?? WITHOUT_MOCK;
  return mock[Math.min(turn, mock.length - 1)] ?? WITHOUT_MOCK;
}

type Conditional = { when?: JsonObject; respond: Json };
const isConditional = (mock: Json): mock is Conditional & JsonObject =>
  isObject(mock) && 'respond' in mock && (mock.when === undefined || isObject(mock.when));

const matches = (when: JsonObject, call: ParsedCall): boolean =>
  call.arguments !== null && matchArguments(when, call.arguments, {}, undefined, undefined).score === 1;

const textOf = (answer: Json): string => (typeof answer === 'string' ? answer : JSON.stringify(answer));
