import type { CaseInput } from '#lib/contracts/case';
import type { JsonObject } from '#lib/contracts/json';
import type { SuiteFile } from '#lib/contracts/suite';
import type { Tool } from '#lib/contracts/tool';
import { toolSetOf } from '../scoring/tool-set.js';
import { expectedCalls } from '../scoring/score-case.js';
import { toAccepted } from '../scoring/bfcl-answer.js';
import { toFunction } from './bfcl-function.js';

export type BfclPart = 'all' | 'questions' | 'answers';

/**
 * A suite as BFCL's JSON Lines: of each case its question and, on a line of its own, its possible answer. Cases that BFCL
 * cannot say stand as `{"id", "left_out": "why"}`, so that nothing vanishes silently.
 */
export function* exportBfcl(suite: SuiteFile, part: BfclPart): Generator<string> {
  const used = new Set<string>();
  for (const [index, input] of suite.test_cases.entries()) {
    const id = freeId(input.name ?? `${kindOf(input)}_${index}`, used);
    const said = sayCase(id, input, toolSetOf(input, suite.tools));
    const lines = typeof said === 'string' ? [{ id, left_out: said }] : [...(part === 'answers' ? [] : [said.question]), ...(part === 'questions' || !said.answer ? [] : [said.answer])];
    for (const line of lines) yield `${JSON.stringify(line)}\n`;
  }
}

function freeId(wanted: string, used: Set<string>): string {
  let id = wanted;
  for (let n = 2; used.has(id); n++) id = `${wanted}#${n}`;
  used.add(id);
  return id;
}

function kindOf(input: CaseInput): string {
  const expected = expectedCalls(input);
  return expected.length === 0 ? 'irrelevance' : expected.length > 1 ? 'parallel_multiple' : expected[0]!.params ? 'multiple' : 'relevance';
}

function sayCase(id: string, input: CaseInput, tools: readonly Tool[]): string | { question: object; answer?: object } {
  if (input.multi_turn) return 'a chain of several rounds';
  const expected = expectedCalls(input);
  const system = input.messages ?? [{ role: 'user', content: input.prompt }];
  const question = { id, question: [system], function: tools.map(toFunction) };
  if (expected.length === 0) return { question };
  // "Some call, whichever" is BFCL's relevance, which has no answers.
  const isRelevance = expected.length === 1 && !expected[0]!.params && [expected[0]!.tool].flat().length === tools.length;
  if (isRelevance) return { question };
  const truth: JsonObject[] = [];
  for (const { tool, params } of expected) {
    if (Array.isArray(tool) && tool.length > 1) return 'several tools are acceptable for one call';
    if (!params) return 'nothing is said of the arguments';
    const called = [tool].flat()[0]!;
    const known = tools.find((one) => one.function.name.toLowerCase() === called.toLowerCase());
    const name = known ? toFunction(known).name : called;
    const accepted: JsonObject = {};
    for (const [key, value] of Object.entries(params)) {
      const values = toAccepted(value);
      if (!values) return `the argument "${key}" is expected by a matcher that BFCL does not have`;
      accepted[key] = values;
    }
    truth.push({ [name]: accepted });
  }
  return { question, answer: { id, ground_truth: truth } };
}
