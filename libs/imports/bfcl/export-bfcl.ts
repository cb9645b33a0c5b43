import type { CaseInput } from '#lib/contracts/case';
import type { JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import type { Tool } from '#lib/contracts/tool';
import { toolSetOf } from '#lib/scoring/cases/tool-set';
import { expectedCalls } from '#lib/scoring/house/score-case';
import { toPossibleAnswer } from '#lib/scoring/metrics/bfcl-possible-answer';
import { toFunction } from './bfcl-function.js';

export type BfclPart = 'all' | 'questions' | 'answers';

/**
 * Returns a function that writes the lines of a suite's cases, called in order, in BFCL's JSON Lines: the question of
 * each case and, on its own line, its possible answer. A case that BFCL cannot express becomes `{"id", "left_out":
 * "why"}`, so that no case vanishes silently.
 */
export function createBfclWriter(suiteTools: readonly Tool[], part: BfclPart): (input: CaseInput) => string {
  const ids = new Ids();
  const functionOf = memoize(toFunction); // Every case comes with the suite's tools.
  let index = 0;
  return (input) => {
    const id = ids.free(input.name ?? `${kindOf(input)}_${index}`);
    index++;
    const said = describeCase(id, input, toolSetOf(input, suiteTools), functionOf);
    const lines =
      typeof said === 'string'
        ? [{ id, left_out: said }]
        : [
            ...(part === 'answers' ? [] : [said.question]),
            ...(part === 'questions' || !said.answer ? [] : [said.answer]),
          ];
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  };
}

/** Makes each id unique. */
class Ids {
  /** The next candidate number, by name. */
  readonly #used = new Map<string, number>();

  free(wanted: string): string {
    let id = wanted;
    let n = this.#used.get(wanted) ?? 2;
    for (; this.#used.has(id); n++) id = `${wanted}#${n}`;
    this.#used.set(wanted, n);
    if (id !== wanted) this.#used.set(id, 2);
    return id;
  }
}

function kindOf(input: CaseInput): string {
  const expected = expectedCalls(input);
  return expected.length === 0
    ? 'irrelevance'
    : expected.length > 1
      ? 'parallel_multiple'
      : expected[0]!.params
        ? 'multiple'
        : 'relevance';
}

function describeCase(
  id: string,
  input: CaseInput,
  tools: readonly Tool[],
  functionOf: (tool: Tool) => JsonObject & { name: string },
): string | { question: object; answer?: object } {
  if (input.multi_turn) return 'a chain of several rounds';
  const expected = expectedCalls(input);
  const system = input.messages ?? [{ role: 'user', content: input.prompt }];
  const question = { id, question: [system], function: tools.map(functionOf) };
  // BFCL recognises "no call" and "any call" by the category in an id. With an id of another form, an empty answer
  // means "no call".
  const isIrrelevance = id.includes('irrelevance');
  const isRelevance = id.includes('relevance') && !isIrrelevance;
  if (expected.length === 0 && isRelevance) return 'no call is expected, and its name says that one is';
  if (expected.length === 0) return isIrrelevance ? { question } : { question, answer: { id, ground_truth: [] } };
  if (
    isRelevance &&
    expected.length === 1 &&
    !expected[0]!.params &&
    [expected[0]!.tool].flat().length === tools.length
  )
    return { question };
  const truth: JsonObject[] = [];
  for (const { tool, params } of expected) {
    if (Array.isArray(tool) && tool.length > 1) return 'several tools are acceptable for one call';
    if (!params) return 'the arguments are not specified';
    const called = [tool].flat()[0]!;
    const known = tools.find((one) => one.function.name.toLowerCase() === called.toLowerCase());
    const name = known ? functionOf(known).name : called;
    const accepted: JsonObject = {};
    for (const [key, value] of Object.entries(params)) {
      const values = toPossibleAnswer(value);
      if (!values) return `the argument "${key}" is expected by a matcher that BFCL does not have`;
      accepted[key] = values;
    }
    truth.push({ [name]: accepted });
  }
  return { question, answer: { id, ground_truth: truth } };
}
