import { isObject, unwrapNumbers, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { readGivenTools, type SuiteDraft, type ImportSource } from '../source/import-source.js';
import { readLines } from '../source/read-lines.js';
import { InferredTools } from '../source/inferred-tools.js';
import type { Warnings } from '../source/warnings.js';

/** Imports JSON Lines: first `{"suite": {...}}` with the suite's settings, then one case per line. */
export async function importJsonl({ text, settings }: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  let own: JsonObject = {};
  const [cases, lines]: [JsonObject[], number[]] = [[], []];
  for await (const { line, value } of readLines(text, 'the file')) {
    const plain = unwrapNumbers(value) as JsonObject;
    if (isObject(plain.suite)) {
      if (cases.length)
        throw new ProblemError(400, `Line ${line} holds the suite's settings, which belong in the first line.`);
      own = plain.suite;
    } else {
      cases.push(plain);
      lines.push(line);
    }
  }
  return {
    suite: addInferredTools(
      { name: 'Imported cases', ...own, ...settings, test_cases: cases },
      readGivenTools(settings).length > 0,
      warnings,
    ),
    lines,
  };
}

/** A table or list of cases may omit the tools. They are then inferred from the calls that the cases expect. */
export function addInferredTools(suite: SuiteDraft['suite'], given: boolean, warnings: Warnings): SuiteDraft['suite'] {
  if (given || suite.tools !== undefined) return suite;
  const guesses = new InferredTools();
  for (const input of suite.test_cases as JsonObject[]) guesses.addCase(input);
  return { ...suite, tools: guesses.list(warnings) };
}
