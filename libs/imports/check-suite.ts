import { jsonPointer, ProblemError, formatInputError, type InputError } from '#lib/contracts/input/problem';
import { CaseInput } from '#lib/contracts/case';
import { toInputErrors, MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import { findUnstorable } from '#lib/contracts/json/storable';
import { MAX_IMPORT_BYTES, MAX_CASES_PER_IMPORT, SuiteFile } from '#lib/contracts/suite';
import { byteLength, type Tool } from '#lib/contracts/tool';
import { conversionWarnings } from '#lib/contracts/input/tool-shapes';
import { checkTools } from '#lib/scoring/checks/check-tools';
import { checkChainFields } from '#lib/scoring/checks/check-case';
import { checkConversationDefaults } from '#lib/scoring/conversation/check';
import { defaultsWarnings } from '#lib/scoring/conversation/warnings';
import { createCaseChecker } from './source/case-checker.js';
import type { SuiteDraft } from './source/import-source.js';
import { UnsatisfiableSearch, unsatisfiableWarnings } from './unsatisfiable-search.js';
import { yieldToEventLoop } from '#lib/runtime/yield-to-event-loop';
import { Warnings } from './source/warnings.js';

/** Per kind. */
const MAX_CASE_WARNINGS = 20;

/**
 * Checks a draft and returns a suite that can be saved. Ten thousand cases take seconds, so it yields to the event loop
 * between cases.
 * @returns the suite, the JSON of each of its cases, and warnings about its tools and the expectations of its cases
 * @throws ProblemError 400 or 422 that names the lines
 */
export async function checkSuite(
  draft: SuiteDraft,
): Promise<{ suite: SuiteFile; written: string[]; warnings: string[] }> {
  const { test_cases: candidates, ...settings } = draft.suite;
  const { leaveOut } = draft;
  rejectTooManyCases(candidates.length);
  rejectUnstorable(draft);
  const screening = new CaseScreening(draft);

  const parsed = SuiteFile.safeParse({ ...settings, test_cases: [] });
  if (!parsed.success) screening.errors.push(...toInputErrors(parsed.error.issues));
  const read = await screening.screen([...candidates.entries()], (candidate: unknown): Checked<CaseInput> => {
    const one = CaseInput.safeParse(candidate);
    return one.success ? { made: one.data } : { wrong: toInputErrors(one.error.issues) };
  });
  if (screening.errors.length || !parsed.success) throw refusal(400, screening.errors, 'fields are invalid');

  const tools = leaveOut ? parsed.data.tools.filter((tool) => canBeUsed(tool, leaveOut)) : parsed.data.tools;
  screening.errors.push(...prefixed('/tools', checkTools(tools)));
  const { conversation } = parsed.data;
  if (conversation) screening.errors.push(...prefixed('/conversation', checkConversationDefaults(conversation, tools)));
  const check = createCaseChecker(tools, conversation);
  const cases = await screening.screen(read, (input: CaseInput): Checked<CaseInput> => {
    const wrong = check(input);
    return wrong.length ? { wrong } : { made: input };
  });
  if (screening.errors.length) throw refusal(422, screening.errors, 'problems were found; nothing was saved');
  if (leaveOut && cases.length === 0)
    throw new ProblemError(422, `Nothing in the file can be imported. ${leaveOut.list().slice(0, 3).join(' ')}`);

  const { written, warnings } = await writeCases(cases, { tools, conversation }, draft.lines);
  const suite = { ...parsed.data, tools, test_cases: cases.map(([, input]) => input) };
  const converted = conversionWarnings([
    ...parsed.data.tools,
    ...suite.test_cases.flatMap((input) => input.tools ?? []),
  ]);
  const ofSuite = conversation ? defaultsWarnings(conversation) : [];
  return { suite, written, warnings: [...converted, ...ofSuite, ...warnings] };
}

const prefixed = (prefix: string, errors: readonly InputError[]): InputError[] =>
  errors.map(({ path, message }) => ({ path: prefix + path, message }));

type Checked<Made> = { made: Made } | { wrong: InputError[] };
/** A case with its index in the draft. */
type Placed<Case> = readonly [number, Case];

/** Separates valid cases from invalid ones. Invalid cases are left out with a warning, or become errors of the file. */
class CaseScreening {
  readonly errors: InputError[] = [];
  readonly #yield = yieldToEventLoop();

  constructor(readonly draft: Pick<SuiteDraft, 'lines' | 'leaveOut'>) {}

  /** Returns the cases in which `check` finds no fault. */
  async screen<Given, Made>(
    cases: readonly Placed<Given>[],
    check: (input: Given) => Checked<Made>,
  ): Promise<Placed<Made>[]> {
    const good: Placed<Made>[] = [];
    for (const [index, input] of cases) {
      const checked = check(input);
      if ('made' in checked) good.push([index, checked.made]);
      else this.#reject(index, input, checked.wrong);
      if (this.errors.length >= MAX_INPUT_ERRORS) break;
      await this.#yield();
    }
    return good;
  }

  #reject(index: number, input: unknown, wrong: InputError[]): void {
    const { lines, leaveOut } = this.draft;
    const line = lines?.[index];
    if (leaveOut) {
      const [{ path, message }] = wrong as [InputError];
      const name = (input as CaseInput).name ?? 'a case';
      leaveOut.addAtLine(line!, `${name}: left out, because ${path} ${message}`);
      return;
    }
    this.errors.push(
      ...wrong.map(({ path, message }) => ({
        path: jsonPointer(['test_cases', index]) + path,
        message: line ? `${message} (line ${line})` : message,
      })),
    );
  }
}

function rejectTooManyCases(count: number): void {
  if (count <= MAX_CASES_PER_IMPORT) return;
  throw new ProblemError(
    400,
    `${count} cases are more than the ${MAX_CASES_PER_IMPORT} of one import. Divide the file.`,
    [{ path: '/test_cases', message: `must be at most ${MAX_CASES_PER_IMPORT}` }],
  );
}

/** JSON was already checked for this on arrival, but files of other formats were not. */
function rejectUnstorable({ suite, lines }: SuiteDraft): void {
  const found = findUnstorable(suite);
  if (!found) return;
  const line = found.path[0] === 'test_cases' ? lines?.[found.path[1] as number] : undefined;
  const message = line ? `${found.why} (line ${line})` : found.why;
  throw refusal(422, [{ path: jsonPointer(found.path), message }], '');
}

/** Returns the JSON of each case, and warnings about its expectations. @throws ProblemError 422 if it is too long */
async function writeCases(
  cases: readonly Placed<CaseInput>[],
  { tools, conversation }: Pick<SuiteFile, 'tools' | 'conversation'>,
  lines: SuiteDraft['lines'],
): Promise<{ written: string[]; warnings: string[] }> {
  const written: string[] = [];
  const unsatisfiable = new UnsatisfiableSearch(tools, conversation);
  const chainFields = new Warnings(MAX_CASE_WARNINGS);
  const replaced = new Warnings(MAX_CASE_WARNINGS);
  const placeOf = (index: number): string => (lines?.[index] ? `Line ${lines[index]}` : `Case ${index}`);
  const yieldIfLong = yieldToEventLoop();
  let bytes = 0;
  for (const [index, input] of cases) {
    unsatisfiable.search(input, index);
    const name = input.name ? ` ("${input.name}")` : '';
    for (const { path, message } of checkChainFields(input))
      chainFields.add(`${placeOf(index)}${name}, ${path}: ${message} The case is played as one turn.`);
    const text = JSON.stringify(input);
    written.push(text);
    if (text.includes('\ufffd')) replaced.add(`${placeOf(index)}${name} ${REPLACED}`);
    bytes += byteLength(text);
    if (bytes > MAX_IMPORT_BYTES)
      throw new ProblemError(
        422,
        `The first ${written.length} of ${cases.length} cases have ${bytes} bytes already, and those ` +
          `of one import may have ${MAX_IMPORT_BYTES} (${MAX_IMPORT_BYTES / 2 ** 20} MiB). Divide the file.`,
      );
    await yieldIfLong();
  }
  return {
    written,
    warnings: [...unsatisfiableWarnings(unsatisfiable.found, placeOf), ...chainFields.list(), ...replaced.list()],
  };
}
const REPLACED =
  'holds U+FFFD (\ufffd): another tool put it in place of a character that it could not read. Write what was meant.';

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

/** Hints for the author of a valid suite. */
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
