import type { JsonObject } from '#lib/contracts/json/json';
import type { Result } from '#lib/contracts/result';

export const PROMPT_CHARACTERS = 200;
const CALLS = 10;
/** Arguments whose JSON is longer are truncated. */
const ARGUMENT_CHARACTERS = 2_000;
const SHOWN_CHARACTERS = 200;
const NOTE_CHARACTERS = 200;

/** A result for a row of a table: without evidence, metrics, tags and source, and with truncated texts. */
export const leanResult = (result: Result): Result => ({
  ...result,
  prompt: beginningOf(result.prompt, PROMPT_CHARACTERS),
  expected: leanExpectation(result.expected),
  called: result.called.slice(0, CALLS).map(leanCall),
  tags: [],
  source: null,
  evidence: null,
  metrics: {},
  note: result.note && { ...result.note, text: beginningOf(result.note.text, NOTE_CHARACTERS) },
});

/** The first characters of a text, without splitting one. */
export const beginningOf = (text: string, characters: number): string =>
  text.length <= characters ? text : [...text.slice(0, 2 * characters)].slice(0, characters).join('');

function shortJson(value: unknown): unknown {
  const json = JSON.stringify(value);
  return json === undefined || json.length <= ARGUMENT_CHARACTERS ? value : `${beginningOf(json, SHOWN_CHARACTERS)}…`;
}

function leanExpectation({ tool, params, calls, goal }: Result['expected']): Result['expected'] {
  const short = (call: unknown): unknown => {
    const { params: given, ...rest } = call as JsonObject;
    return { ...rest, params: shortJson(given) };
  };
  return {
    tool,
    params: shortJson(params),
    ...(calls && { calls: calls.slice(0, CALLS).map(short) }),
    ...(goal && { goal: {} }),
  };
}

function leanCall({ name, arguments: given, raw, ...rest }: Result['called'][number]): Result['called'][number] {
  const short = shortJson(given);
  const isCut = short !== given;
  return {
    name: beginningOf(name, SHOWN_CHARACTERS),
    arguments: isCut ? null : given,
    ...((isCut || raw !== undefined) && { raw: isCut ? (short as string) : beginningOf(raw!, SHOWN_CHARACTERS) }),
    ...rest,
  };
}
