import { jsonPointer, ProblemError, formatInputError, type InputError } from '#lib/contracts/input/problem';
import { CaseInput } from '#lib/contracts/case';
import { toInputErrors, MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import { findUnstorable } from '#lib/contracts/json/storable';
import { MAX_IMPORT_BYTES, MAX_CASES_PER_IMPORT, SuiteFile } from '#lib/contracts/suite';
import { byteLength, type Tool } from '#lib/contracts/tool';
import { conversionWarnings } from '#lib/contracts/input/tool-shapes';
import { checkTools } from '#lib/scoring/checks/check-tools';
import { checkChainFields } from '#lib/scoring/checks/check-case';
import { createCaseChecker } from './case-checker.js';
import type { SuiteDraft } from './import-source.js';
import { UnsatisfiableSearch, unsatisfiableWarnings } from './unsatisfiable-search.js';
import { yieldToEventLoop } from './files/yield-to-event-loop.js';
import { Warnings } from './warnings.js';

type Checked<Made> = { made: Made } | { wrong: InputError[] };

const MOST_CHAINLESS = 20;

/**
 * A draft as a suite that can be saved, looked at piece by piece: ten thousand cases take seconds, and others of
 * the process want to be served meanwhile.
 * @returns the suite, the JSON of each of its cases, and what its author should know of the tools and of what is
 *   expected
 * @throws ProblemError 400 or 422, naming the lines
 */
export async function checkSuite({
  suite,
  lines,
  leaveOut,
}: SuiteDraft): Promise<{ suite: SuiteFile; written: string[]; warnings: string[] }> {
  const { test_cases: candidates, ...settings } = suite;
  if (candidates.length > MAX_CASES_PER_IMPORT) {
    throw new ProblemError(
      400,
      `${candidates.length} cases are more than the ${MAX_CASES_PER_IMPORT} of one import. Divide the file.`,
      [{ path: '/test_cases', message: `must be at most ${MAX_CASES_PER_IMPORT}` }],
    );
  }
  // What came as JSON was looked at before; a file of another format was not.
  const bad = findUnstorable(suite);
  if (bad) {
    const line = bad.path[0] === 'test_cases' ? lines?.[bad.path[1] as number] : undefined;
    throw refusal(422, [{ path: jsonPointer(bad.path), message: line ? `${bad.why} (line ${line})` : bad.why }], '');
  }
  const errors: InputError[] = [];
  const turn = yieldToEventLoop();
  /** The cases that `check` finds nothing wrong with. */
  const pass = async <Made>(
    many: readonly (readonly [number, unknown])[],
    check: (input: never) => Checked<Made>,
  ): Promise<[number, Made][]> => {
    const good: [number, Made][] = [];
    for (const [index, input] of many) {
      const found = check(input as never);
      if ('made' in found) good.push([index, found.made]);
      else if (leaveOut)
        leaveOut.addAtLine(
          lines![index]!,
          `${(input as CaseInput).name ?? 'a case'}: left out, because ${found.wrong[0]!.path} ` +
            `${found.wrong[0]!.message}`,
        );
      else
        errors.push(
          ...found.wrong.map(({ path, message }) => ({
            path: jsonPointer(['test_cases', index]) + path,
            message: lines?.[index] ? `${message} (line ${lines[index]})` : message,
          })),
        );
      if (errors.length >= MAX_INPUT_ERRORS) break;
      await turn();
    }
    return good;
  };

  const parsed = SuiteFile.safeParse({ ...settings, test_cases: [] });
  if (!parsed.success) errors.push(...toInputErrors(parsed.error.issues));
  const read = await pass([...candidates.entries()], (candidate: unknown): Checked<CaseInput> => {
    const one = CaseInput.safeParse(candidate);
    return one.success ? { made: one.data } : { wrong: toInputErrors(one.error.issues) };
  });
  if (errors.length || !parsed.success) throw refusal(400, errors, 'fields are not as they should be');

  const tools = leaveOut ? parsed.data.tools.filter((tool) => canBeUsed(tool, leaveOut)) : parsed.data.tools;
  errors.push(...checkTools(tools).map(({ path, message }) => ({ path: `/tools${path}`, message })));
  const fit = createCaseChecker(tools);
  const cases = await pass(read, (input: CaseInput): Checked<CaseInput> => {
    const wrong = fit(input);
    return wrong.length ? { wrong } : { made: input };
  });
  if (errors.length) throw refusal(422, errors, 'things do not fit together; nothing was saved');
  if (leaveOut && cases.length === 0)
    throw new ProblemError(422, `Nothing of the file can be imported. ${leaveOut.list().slice(0, 3).join(' ')}`);
  const written: string[] = [];
  const search = new UnsatisfiableSearch(tools);
  const chainless = new Warnings(MOST_CHAINLESS);
  const place = (index: number): string => (lines?.[index] ? `Line ${lines[index]}` : `Case ${index}`);
  let bytes = 0;
  for (const [index, input] of cases) {
    search.search(input, index);
    for (const { path, message } of checkChainFields(input))
      chainless.add(
        `${place(index)}${input.name ? ` ("${input.name}")` : ''}, ${path}: ${message} The case is played as one turn.`,
      );
    written.push(JSON.stringify(input));
    bytes += byteLength(written.at(-1)!);
    if (bytes > MAX_IMPORT_BYTES) {
      throw new ProblemError(
        422,
        `The first ${written.length} of ${cases.length} cases have ${bytes} bytes already, and those ` +
          `of one import may have ${MAX_IMPORT_BYTES} (${MAX_IMPORT_BYTES / 2 ** 20} MiB). ` +
          'Divide the file.',
      );
    }
    await turn();
  }
  const made = { ...parsed.data, tools, test_cases: cases.map(([, input]) => input) };
  const converted = conversionWarnings([
    ...parsed.data.tools,
    ...made.test_cases.flatMap((input) => input.tools ?? []),
  ]);
  return {
    suite: made,
    written,
    warnings: [...converted, ...unsatisfiableWarnings(search.found, place), ...chainless.list()],
  };
}

function canBeUsed(tool: Tool, warnings: Warnings): boolean {
  const [wrong] = checkTools([tool]);
  if (wrong) warnings.add(`The tool "${tool.function.name}" is left out: ${wrong.message}`);
  return !wrong;
}

function refusal(status: 400 | 422, errors: InputError[], what: string): ProblemError {
  const [first] = errors as [InputError];
  return new ProblemError(
    status,
    errors.length === 1
      ? formatInputError(first)
      : `${errors.length}${errors.length >= MAX_INPUT_ERRORS ? ' or more' : ''} ${what}.`,
    errors,
  );
}

/** What its author may want to know of a suite that is fine otherwise. */
export function suiteHints({ tools, test_cases }: SuiteFile): string[] {
  const hints: string[] = [];
  if (test_cases.length === 0) hints.push('The suite has no test cases yet.');
  const prompts = test_cases.map((input) => input.prompt).filter((prompt) => prompt !== undefined);
  const seen = new Set<string>();
  const repeated = new Set(prompts.filter((prompt) => seen.size === seen.add(prompt).size));
  if (repeated.size)
    hints.push(`${repeated.size} prompts occur more than once, the first: "${[...repeated][0]!.slice(0, 80)}".`);
  const undescribed = tools.filter((tool) => !tool.function.description).map((tool) => tool.function.name);
  if (undescribed.length) hints.push(`Tools without a description: ${undescribed.join(', ')}. Models choose by it.`);
  return hints;
}
