import type { CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { ImportFormat } from '#lib/contracts/import';
import { MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import { parseJson } from '#lib/contracts/json/json';
import type { InputError } from '#lib/contracts/input/problem';
import type { TextHunk } from '#lib/contracts/prompt-version';
import type { RescoreOptions } from '#lib/contracts/rescore';
import { MAX_TOOLS } from '#lib/contracts/values/suites';
import type { Tool } from '#lib/contracts/tool';
import type { WrittenCase } from '#lib/db/catalogue/insert-cases';
import { createCaseChecker } from '#lib/imports/source/case-checker';
import { importSuite } from '#lib/imports/import-suite';
import { noneUnsatisfiable, UnsatisfiableSearch, type UnsatisfiableFindings } from '#lib/imports/unsatisfiable-search';
import { toolNamesUsed } from '#lib/mcp/compare-tools';
import { toolWarnings, type ToolHost } from '#lib/providers/hosts/tool-warnings';
import { toolSetOf } from '#lib/scoring/cases/tool-set';
import { checkCase, checkChainFields } from '#lib/scoring/checks/check-case';
import { checkTools } from '#lib/scoring/checks/check-tools';
import { checkConversationDefaults } from '#lib/scoring/conversation/check';
import { defaultsWarnings } from '#lib/scoring/conversation/warnings';
import { withRescoreOptions } from '#lib/scoring/cases/rescore-options';
import { divideRoles } from '#lib/prompt-tune/divide-roles';
import type { Roles } from '#lib/prompt-tune/split-roles';
import type { Split, SplitCase } from '#lib/tuning/split-cases';
import { divideCases } from '#lib/param-tune/divide-cases';
import type { LargeBodyTask, LargeBodyText } from '../platform/large-bodies.js';
import { diffTexts } from './diff-texts.js';
import { readBody } from './read-body.js';
import { readRecordedLines, type ReadLines } from './recorded-lines.js';
import { isSemantic } from './is-semantic.js';
import { countRequests, type RequestCounts, type CountInput } from './count-requests.js';

/** Work on user input that may take long. JSON is passed as text, where numbers stay as they were written. */
export type SuiteTask =
  | { what: 'check-tools'; tools: string }
  /** Each tool on its own: a duplicate name is not an error. */
  | { what: 'check-each-tool'; tools: string }
  /** Of a suite: what its conversations have in common. */
  | { what: 'check-conversation'; tools: string; conversation: string }
  | { what: 'check-cases'; tools: string; conversation?: string; cases: readonly string[] }
  /** Checks stored cases against other tools, or another state to begin with, or under other scoring options. */
  | { what: 'fit-cases'; tools: string; conversation?: string; cases: readonly string[]; options?: string }
  /** Which tools hosts refuse, if each case has all of them; with `cases`, of the tools offered to those. */
  | { what: 'warn-of-hosts'; tools: string; hosts: readonly ToolHost[]; cases?: readonly string[] }
  /** Finds which cases name which of these tools. */
  | { what: 'find-uses'; names: readonly string[]; cases: readonly string[] }
  | { what: 'import'; format: ImportFormat; body: string | undefined; isJson: boolean; name?: string; preview?: number }
  /** Lines of recorded replies; `from` is the number of the first line. */
  | { what: 'read-recorded'; from: number; lines: readonly string[] }
  /** @see diffTexts */
  | { what: 'diff-texts'; pairs: readonly (readonly [from: string, to: string])[] }
  /** Cases as `readSplitCases` reads them; roles are those of a prompt tune. */
  | ({ what: 'divide-cases'; cases: readonly [text: string] } & Parameters<typeof divideCases>[1])
  | ({ what: 'divide-roles'; cases: readonly [text: string] } & Parameters<typeof divideRoles>[1])
  /** @see ToCount */
  | { what: 'count-requests'; of: string; cases: readonly string[]; targets: number }
  | ({ what: 'read-body' } & LargeBodyTask);

export interface CaseError extends InputError {
  /** The number of the case in the task. */
  index: number;
  name: string | null;
}
interface FittedCases {
  errors: CaseError[];
  /** Whether a case is compared by meaning. */
  isSemantic: boolean;
  /** Expected arguments that no call can have; not computed under other scoring options. */
  slips: UnsatisfiableFindings;
}
interface CheckedCases {
  errors: CaseError[];
  slips: UnsatisfiableFindings;
}
export interface Imported {
  /** JSON of the suite without its cases. */
  settings: string;
  /** All cases, or the first ones for a preview. */
  cases: WrittenCase[];
  count: number;
  warnings: string[];
}
export interface SuiteAnswers {
  'check-tools': InputError[];
  'check-each-tool': (InputError | null)[];
  'check-conversation': { errors: InputError[]; warnings: string[] };
  'check-cases': CheckedCases;
  'fit-cases': FittedCases;
  'warn-of-hosts': string[];
  'find-uses': { index: number; name: string | null; uses: string[] }[];
  import: Imported;
  'diff-texts': TextHunk[][];
  'divide-cases': Split;
  'divide-roles': Roles;
  'count-requests': RequestCounts[];
  'read-recorded': ReadLines;
  'read-body': LargeBodyText;
}

export function runSuiteTask(
  task: SuiteTask,
): SuiteAnswers[SuiteTask['what']] | Promise<SuiteAnswers[SuiteTask['what']]> {
  switch (task.what) {
    case 'check-tools':
      return checkTools(toolsIn(task.tools)).slice(0, MAX_INPUT_ERRORS);
    case 'check-each-tool':
      return toolsIn(task.tools).map((tool) => checkTools([tool])[0] ?? null);
    case 'check-conversation':
      return checkDefaults(defaultsIn(task)!, toolsIn(task.tools));
    case 'check-cases':
      return checkNewCases(task);
    case 'fit-cases':
      return fitCases(task);
    case 'warn-of-hosts':
      return warnOfHosts(task);
    case 'find-uses':
      return findUses(task);
    case 'import':
      return importFile(task);
    case 'read-recorded':
      return readRecordedLines(task.from, task.lines);
    case 'diff-texts':
      return diffTexts(task.pairs);
    case 'divide-cases':
      return divideCases(splitCasesIn(task.cases), task);
    case 'divide-roles':
      return divideRoles(splitCasesIn(task.cases), task);
    case 'count-requests':
      return countRequests(parseJson(task.of) as unknown as CountInput, task.cases);
    case 'read-body':
      return readBody(task);
  }
}

type TaskOf<What extends SuiteTask['what']> = Extract<SuiteTask, { what: What }>;

function checkDefaults(defaults: ConversationDefaults, tools: Tool[]): SuiteAnswers['check-conversation'] {
  const errors = checkConversationDefaults(defaults, tools).slice(0, MAX_INPUT_ERRORS);
  return { errors, warnings: errors.length ? [] : defaultsWarnings(defaults) };
}

function checkNewCases(task: TaskOf<'check-cases'>): CheckedCases {
  const tools = toolsIn(task.tools);
  const defaults = defaultsIn(task);
  const search = new UnsatisfiableSearch(tools, defaults);
  const check = (input: CaseInput) => [...checkCase(input, tools, defaults), ...checkChainFields(input)];
  const errors = errorsOf(task.cases, check, search);
  return { errors, slips: errors.length ? noneUnsatisfiable() : search.found };
}

function fitCases(task: TaskOf<'fit-cases'>): FittedCases {
  const options = parseJson(task.options ?? '{}') as unknown as RescoreOptions;
  const tools = toolsIn(task.tools);
  const defaults = defaultsIn(task);
  const check = createCaseChecker(tools, defaults);
  const search = task.options ? undefined : new UnsatisfiableSearch(tools, defaults);
  let isAnySemantic = false;
  const checkStored = (stored: CaseInput): InputError[] => {
    const input = withRescoreOptions(stored, options);
    isAnySemantic ||= isSemantic(input);
    return check(input);
  };
  const errors = errorsOf(task.cases, checkStored, search);
  return { errors, isSemantic: isAnySemantic, slips: errors.length || !search ? noneUnsatisfiable() : search.found };
}

const findUses = ({ names, cases }: TaskOf<'find-uses'>): SuiteAnswers['find-uses'] =>
  cases.flatMap((text, index) => {
    const input = parseJson(text) as unknown as CaseInput;
    const used = toolNamesUsed(input);
    const uses = names.filter((name) => used.has(name.toLowerCase()));
    return uses.length ? [{ index, name: input.name ?? null, uses }] : [];
  });

function warnOfHosts({ tools: text, hosts, cases }: TaskOf<'warn-of-hosts'>): string[] {
  const suite = toolsIn(text);
  if (!cases) return toolWarnings({ tools: suite, most: suite.length }, hosts);
  const offered = new Map<string, Tool>();
  let most = 0;
  for (const one of cases) {
    const tools = toolSetOf(parseJson(one) as unknown as CaseInput, suite);
    most = Math.max(most, tools.length);
    for (const tool of tools) if (offered.size < MAX_TOOLS) offered.set(tool.function.name, tool);
  }
  return toolWarnings({ tools: [...offered.values()], most }, hosts);
}

const splitCasesIn = ([text]: readonly [string]): SplitCase[] =>
  (JSON.parse(text) as [number, string | null][]).map(([position, category]) => ({ position, category }));

const defaultsIn = ({ conversation }: { conversation?: string }): ConversationDefaults | null =>
  conversation === undefined ? null : (parseJson(conversation) as unknown as ConversationDefaults);

const toolsIn = (text: string): Tool[] => parseJson(text) as unknown as Tool[];

/** @param search searches the cases as long as none has an error */
function errorsOf(
  cases: readonly string[],
  check: (input: CaseInput) => InputError[],
  search?: UnsatisfiableSearch,
): CaseError[] {
  const errors: CaseError[] = [];
  for (const [index, text] of cases.entries()) {
    const input = parseJson(text) as unknown as CaseInput;
    errors.push(
      ...check(input)
        .slice(0, MAX_INPUT_ERRORS)
        .map((error) => ({ ...error, index, name: input.name ?? null })),
    );
    if (errors.length >= MAX_INPUT_ERRORS) break;
    if (errors.length === 0) search?.search(input, index);
  }
  return errors;
}

async function importFile({ format, body, isJson, name, preview }: TaskOf<'import'>): Promise<Imported> {
  const given = isJson && body !== undefined ? parseJson(body) : body;
  const { suite, written, warnings } = await importSuite(format, given, name);
  const { test_cases: cases, ...settings } = suite;
  return {
    settings: JSON.stringify(settings),
    cases: cases
      .slice(0, preview)
      .map((input, index) => ({ category: input.category ?? null, tags: input.tags ?? [], body: written[index]! })),
    count: cases.length,
    warnings,
  };
}
