import { pointer, ProblemError, type InputError } from '#lib/contracts/problem';
import { CaseInput } from '#lib/contracts/case';
import { MAX_CASES_PER_IMPORT, SuiteFile } from '#lib/contracts/suite';
import { checkTools } from '../scoring/check-tools.js';
import { caseFitter } from './fit-case.js';
import type { Draft } from './imported.js';
import { takeTurns } from './take-turns.js';

const MOST_ERRORS = 100;

/** What fails its schema, by the words of whoever reads it; the API has one way for all its bodies. */
export type Describe = (issues: readonly unknown[]) => InputError[];

/**
 * A draft as a suite that can be saved, looked at piece by piece: ten thousand cases take seconds, and others of the process
 * want to be served meanwhile.
 * @throws ProblemError 400 or 422, naming the lines
 */
export async function checkSuite({ suite, lines }: Draft, describe: Describe): Promise<SuiteFile> {
  const { test_cases: candidates, ...settings } = suite;
  const where = (index: number, { path, message }: InputError): InputError => {
    const here = pointer(['test_cases', index]) + path;
    return { path: here, message: lines?.[index] ? `${message} (line ${lines[index]})` : message };
  };
  if (candidates.length > MAX_CASES_PER_IMPORT) throw new ProblemError(400, `${candidates.length} cases are more than the ${MAX_CASES_PER_IMPORT} of one import. Divide the file.`, [{ path: '/test_cases', message: `must be at most ${MAX_CASES_PER_IMPORT}` }]);
  const parsed = SuiteFile.safeParse({ ...settings, test_cases: [] });
  const bad: InputError[] = parsed.success ? [] : describe(parsed.error.issues);
  const cases: CaseInput[] = [];
  const turn = takeTurns();
  for (const [index, candidate] of candidates.entries()) {
    const one = CaseInput.safeParse(candidate);
    if (one.success) cases.push(one.data);
    else bad.push(...describe(one.error.issues).map((error) => where(index, error)));
    if (bad.length >= MOST_ERRORS) break;
    await turn();
  }
  if (bad.length || !parsed.success) throw refusal(400, bad, 'fields are not as they should be');

  const { tools } = parsed.data;
  const errors: InputError[] = checkTools(tools).map(({ path, message }) => ({ path: `/tools${path}`, message }));
  const fit = caseFitter(tools);
  for (const [index, input] of cases.entries()) {
    errors.push(...fit(input).map((error) => where(index, error)));
    if (errors.length >= MOST_ERRORS) break;
    await turn();
  }
  if (errors.length) throw refusal(422, errors, 'things do not fit together; nothing was saved');
  return { ...parsed.data, test_cases: cases };
}

function refusal(status: 400 | 422, errors: InputError[], what: string): ProblemError {
  const [first] = errors as [InputError];
  return new ProblemError(status, errors.length === 1 ? `${first.path} ${first.message}` : `${errors.length}${errors.length >= MOST_ERRORS ? ' or more' : ''} ${what}.`, errors);
}

/** What its author may want to know of a suite that is fine otherwise. */
export function hintsOf({ tools, test_cases }: SuiteFile): string[] {
  const hints: string[] = [];
  if (test_cases.length === 0) hints.push('The suite has no test cases yet.');
  const prompts = test_cases.map((input) => input.prompt).filter((prompt) => prompt !== undefined);
  const seen = new Set<string>();
  const repeated = new Set(prompts.filter((prompt) => seen.size === seen.add(prompt).size));
  if (repeated.size) hints.push(`${repeated.size} prompts occur more than once, the first: "${[...repeated][0]!.slice(0, 80)}".`);
  const undescribed = tools.filter((tool) => !tool.function.description).map((tool) => tool.function.name);
  if (undescribed.length) hints.push(`Tools without a description: ${undescribed.join(', ')}. Models choose by it.`);
  return hints;
}
