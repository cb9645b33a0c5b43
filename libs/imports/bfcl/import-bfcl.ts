import { CaseInput } from '#lib/contracts/case';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { endWithPeriod, ProblemError } from '#lib/contracts/input/problem';
import { MAX_TOOLS } from '#lib/contracts/values/suites';
import type { Tool } from '#lib/contracts/tool';
import type { ParsedCall } from '#lib/contracts/verdict';
import { fromPossibleAnswer, hasLiteralChoice } from '#lib/scoring/metrics/bfcl-possible-answer';
import { BFCL_CATEGORIES } from '#lib/scoring/metrics/bfcl-checker';
import { prepareCase } from '#lib/scoring/house/score-case';
import { toTool } from './bfcl-function.js';
import { createCaseChecker } from '../source/case-checker.js';
import {
  toPromptOrMessages,
  readGivenTools,
  SuiteTools,
  type SuiteDraft,
  type ImportSource,
} from '../source/import-source.js';
import { readLines, type JsonLine } from '../source/read-lines.js';
import { yieldToEventLoop } from '#lib/runtime/yield-to-event-loop';
import { exampleCalls, findUnsatisfiableReason } from './unsatisfiable-cases.js';
import type { Warnings } from '../source/warnings.js';

/** Categories whose entries are more than one reply with its calls. */
const REFUSED: [RegExp, string][] = [
  [
    /^multi_turn/,
    "its entries play several turns against simulated APIs and compare the APIs' state; import " +
      'conversations as chat-logs, or write cases with "multi_turn"',
  ],
  [/^(?:simple_)?java(?:script)?$/, 'its answers are source text of Java or JavaScript, not values'],
  [/^(?:exec_\w+|rest)$/, 'its answers are code that BFCL executes'],
  [
    /^(?:memory|web_search|agentic)(?:_\w+)?$/,
    'its entries run against working tools and are judged by the final text',
  ],
  [
    /^format_sensitivity$/,
    'its entries ask those of other categories again, in other formats of the prompt, and have their answers there; ' +
      'import those categories',
  ],
  [/^(?:sql|chatable)$/, 'BFCL has no checked answers for it'],
];

const CAN_BE_IMPORTED = `Categories that can be: ${BFCL_CATEGORIES.join(', ')}`;

/** The id of a format_sensitivity entry contains that of the original entry. */
const categoryOf = (id: string): string =>
  /^format_sensitivity(?:_\d+)?(?::|$)/.test(id) ? 'format_sensitivity' : id.replace(/_\d+(?:-\w+)*$/, '');

/** Questions and possible answers by id. */
interface BfclEntries {
  questions: Map<string, JsonLine>;
  truths: Map<string, JsonLine>;
}

type Warn = (message: string) => void;

/**
 * Imports BFCL v3 and v4. Questions and possible answers come in one text, told apart by the fields of each line, or in
 * two texts.
 */
export async function importBfcl(source: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  const { settings } = source;
  const { questions, truths } = await readEntries(source, warnings);
  const suiteTools = new SuiteTools(readGivenTools(settings));
  const check = createCaseChecker([]);
  const yieldIfLong = yieldToEventLoop();
  const [cases, lines, categories]: [CaseInput[], number[], Set<string>] = [[], [], new Set()];
  for (const [id, { line, value }] of questions) {
    const category = categoryOf(id);
    categories.add(category);
    const warn = (message: string): void => warnings.addAtLine(line, `${id}: ${message}`);
    const answer = truths.get(id);
    rejectEntry(id, { line, value }, category, answer);
    const functions = functionsOf(value, warn);
    const tools = toolsOf(functions, warn);
    const answers = answer && answersOf(answer, category, warn);
    const made = caseOf(id, category, value, answers, tools);
    // Frees the memory of entries that became cases.
    truths.delete(id);
    questions.set(id, { line, value: {} });
    await yieldIfLong();

    const reason = whyLeftOut(tools.size, answers);
    if (reason) {
      warn(`left out, because ${reason}`);
      continue;
    }
    const why = answers && findUnsatisfiableReason(checkedAs(category, answers.length), functions, answers);
    if (why !== undefined && CaseInput.safeParse(made).success && check(made).length === 0)
      warnUnsatisfiable(why, passesHouseScore(made, examples(answers!, tools), settings.pass_threshold), warn);
    for (const { tool } of tools.values()) suiteTools.offer(tool);
    cases.push(made);
    lines.push(line);
  }
  for (const [id, { line }] of truths)
    warnings.addAtLine(line, `${id}: a possible answer without its question, left out`);
  const name = `BFCL ${[...categories].slice(0, 5).join(', ')}${categories.size > 5 ? ', ...' : ''}`;
  return { suite: { name, ...settings, tools: suiteTools.list(), test_cases: cases }, lines, leaveOut: warnings };
}

async function readEntries({ text, answers }: ImportSource, warnings: Warnings): Promise<BfclEntries> {
  const entries: BfclEntries = { questions: new Map(), truths: new Map() };
  for (const [source, what] of [
    [text, 'the questions'],
    [answers, 'the possible answers'],
  ] as const) {
    if (source === undefined) continue;
    for await (const entry of readLines(source, what)) addEntry(entries, entry, what, warnings);
  }
  if (entries.questions.size === 0)
    throw new ProblemError(422, 'There are no questions: a BFCL question has "id", "question" and "function".');
  return entries;
}

function addEntry({ questions, truths }: BfclEntries, entry: JsonLine, what: string, warnings: Warnings): void {
  const { line, value } = entry;
  const { id } = value;
  if (typeof id !== 'string') throw new ProblemError(400, `Line ${line} of ${what} has no "id". Nothing was imported.`);
  const isLeftOut = typeof value.left_out === 'string';
  const hasAnswer = 'ground_truth' in value || 'possible_answer' in value;
  if (!hasAnswer && !('question' in value || 'left_out' in value))
    throw new ProblemError(
      400,
      `Line ${line} of ${what} ("${id}") has neither "question" nor "ground_truth". Nothing was imported.`,
    );
  if (isLeftOut) warnings.addAtLine(line, `${id}: left out by the export: ${value.left_out as string}`);
  else if ('question' in value) keepEntry(questions, id, entry, 'question');
  if (hasAnswer) keepEntry(truths, id, entry, 'possible answer');
}

/** @throws ProblemError 422 if the entry makes the whole file unfit for import */
function rejectEntry(id: string, { line, value }: JsonLine, category: string, answer: JsonLine | undefined): void {
  const reason = refusal(category, value);
  if (reason) throw new ProblemError(422, `Line ${line} ("${id}"): ${endWithPeriod(reason)} Nothing was imported.`);
  if (!answer && !category.includes('relevance'))
    throw new ProblemError(
      422,
      `Line ${line} ("${id}") has no possible answer: send BFCL's file of possible answers too. ` +
        'Nothing was imported.',
    );
}

function whyLeftOut(functions: number, answers: readonly Answer[] | undefined): string | undefined {
  if (functions === 0) return 'it offers no function';
  if (functions > MAX_TOOLS) return `it offers more than ${MAX_TOOLS} functions`;
  const accepted = answers?.flatMap((answer) =>
    Object.values(answer).flatMap((params) => Object.values(params).flat()),
  );
  return accepted?.some(hasLiteralChoice)
    ? 'it expects an object with a key that begins with "$", and several acceptable values in it'
    : undefined;
}

const passesHouseScore = (input: CaseInput, calls: ParsedCall[], threshold = 1): boolean =>
  prepareCase(input, [], threshold).score({ calls, format_compliance: 'native' }).passed;

function warnUnsatisfiable(why: string, isPassedByHouseScore: boolean, warn: Warn): void {
  warn(
    isPassedByHouseScore
      ? `no reply can satisfy it by BFCL's own check (${why}); the house score can be won`
      : `no reply can satisfy it (${why}); it is imported, and will fail for every model`,
  );
}

function keepEntry(entries: Map<string, JsonLine>, id: string, entry: JsonLine, what: string): void {
  const before = entries.get(id);
  if (before)
    throw new ProblemError(
      422,
      `Line ${entry.line} is a second ${what} "${id}"; the first is at line ${before.line}. Nothing was imported.`,
    );
  entries.set(id, entry);
}

function refusal(category: string, entry: JsonObject): string | undefined {
  const known = REFUSED.find(([pattern]) => pattern.test(category));
  if (known) return `the category "${category}" cannot be imported: ${known[1]}. ${CAN_BE_IMPORTED}`;
  const severalTurns =
    Array.isArray(entry.question) && entry.question.length > 1 && entry.question.every(Array.isArray);
  return severalTurns || 'involved_classes' in entry
    ? `an entry of several turns (category "${category}") cannot be imported: ${REFUSED[0]![1]}. ${CAN_BE_IMPORTED}`
    : undefined;
}

/** The category whose check applies to an entry. If BFCL does not know its name, the number of answers decides. */
function checkedAs(category: string, answers: number): string {
  if ((BFCL_CATEGORIES as readonly string[]).includes(category)) return category;
  return answers === 1 ? 'multiple' : 'parallel_multiple';
}

/**
 * Reads the part of an entry's possible answer that BFCL checks: each parameter with a list of acceptable values.
 * Returns undefined if BFCL checks none of it.
 */
function answersOf({ line, value }: JsonLine, category: string, warn: (message: string) => void): Answer[] | undefined {
  const given = value.ground_truth ?? value.possible_answer ?? [];
  const list = [given].flat();
  const good = list.every(
    (call) => isObject(call) && Object.keys(call).length === 1 && isObject(Object.values(call)[0]),
  );
  if (!good)
    throw new ProblemError(
      422,
      `Line ${line}: "ground_truth" must be a list of {"function": {"parameter": [acceptable ` +
        'values]}}. Nothing was imported.',
    );
  if (!Array.isArray(given)) warn('its "ground_truth" is not a list; it is read as a list of one');
  if (category.includes('relevance') && list.length) {
    warn(`has a possible answer, which BFCL does not look at in the category "${category}"; nor does the case`);
    return undefined;
  }
  const looked = /^(?:live_)?simple(?:_python)?$/.test(category) ? list.slice(0, 1) : list;
  if (looked.length < list.length)
    warn(
      `has ${list.length} possible answers, of which BFCL looks at the first alone in the category ` +
        `"${category}"; so does the case`,
    );
  return looked.map((call) =>
    mapValues(call as JsonObject, (params, name) =>
      mapValues(params as JsonObject, (accepted, param) => listed(accepted, `"${param}" of "${name}"`, warn)),
    ),
  );
}

/**
 * Returns a list of acceptable values unchanged, and wraps any other value in a list. The values of an object are such
 * lists too.
 */
function listed(accepted: Json, what: string, warn: (message: string) => void): Json[] {
  const inner = (value: Json): Json => {
    if (Array.isArray(value) && value.every(isObject)) return value.map(inner);
    return isObject(value)
      ? mapValues(value, (options, key) =>
          Array.isArray(options) ? options : asOnlyValue(options, `"${key}" in ${what}`, warn),
        )
      : value;
  };
  return (Array.isArray(accepted) ? accepted : asOnlyValue(accepted, what, warn)).map(inner);
}

function asOnlyValue(value: Json, what: string, warn: (message: string) => void): Json[] {
  warn(
    `the answer for ${what} is not a list of acceptable values but ` +
      `${JSON.stringify(value).slice(0, 100)}, which is read as the only one`,
  );
  return [value];
}

function functionsOf(entry: JsonObject, warn: (message: string) => void): Described[] {
  const all = [entry.function ?? []].flat();
  const named = all.filter((one): one is Described => isObject(one) && typeof one.name === 'string');
  if (named.length < all.length)
    warn(`${all.length - named.length} of its functions are left out, because they have no name`);
  return named;
}

/** Builds calls from the first acceptable value of each argument. */
const examples = (answers: readonly Answer[], tools: Map<string, Named>): ParsedCall[] =>
  answers.map((answer) => {
    const [[name, params]] = Object.entries(answer) as [[string, Answer[string]]];
    const given = Object.entries(params).flatMap(([key, accepted]) =>
      exampleCalls(accepted)
        .slice(0, 1)
        .map((value) => [key, value]),
    );
    return { name: tools.get(name)?.tool.function.name ?? name, arguments: Object.fromEntries(given) as JsonObject };
  });

type Answer = Record<string, Record<string, Json[]>>;
type Described = JsonObject & { name: string };
interface Named {
  tool: Tool;
  required: Set<Json>;
}

/** The tools of an entry, keyed by BFCL's function names. The tools themselves have names that providers accept. */
function toolsOf(functions: Described[], warn: (message: string) => void): Map<string, Named> {
  const tools = new Map<string, Named>();
  const taken = new Set<string>();
  for (const described of functions) {
    const unknown = new Set<string>();
    const tool = toTool(described, (type) => unknown.add(type));
    const { name } = tool.function;
    if (name !== described.name)
      warn(
        `the function "${described.name}" is named "${name}" here: names have up to 64 letters, digits, "_", ` +
          '"." and "-"',
      );
    if (taken.has(name.toLowerCase())) {
      warn(`describes "${name}" twice; the first description counts`);
      continue;
    }
    taken.add(name.toLowerCase());
    for (const type of unknown) warn(`the type "${type}" in "${name}" is unknown; any value is allowed there`);
    tools.set(described.name, { tool, required: new Set([tool.function.parameters!.required ?? []].flat()) });
  }
  return tools;
}

function caseOf(
  id: string,
  category: string,
  { question }: JsonObject,
  truth: Answer[] | undefined,
  tools: Map<string, Named>,
): CaseInput {
  const turn = Array.isArray(question) && question.length === 1 && Array.isArray(question[0]) ? question[0] : question;
  const messages = typeof turn === 'string' ? [{ role: 'user', content: turn }] : ([turn ?? []].flat() as JsonObject[]);
  const base = {
    name: id.slice(0, 200),
    category,
    ...toPromptOrMessages(messages),
    tools: [...tools.values()].map(({ tool }) => tool),
  };
  if (!truth?.length) {
    // Relevance expects any call. Irrelevance, or an answer without calls, expects none.
    return {
      ...base,
      expected_tool:
        category.includes('relevance') && !category.includes('irrelevance')
          ? base.tools.map((tool) => tool.function.name)
          : null,
    };
  }
  const expected = truth.map((call) => {
    const [[name, params]] = Object.entries(call) as [[string, Answer[string]]];
    const named = tools.get(name);
    return {
      tool: named?.tool.function.name ?? name,
      params: Object.fromEntries(
        Object.entries(params).map(([key, accepted]) => [key, fromPossibleAnswer(accepted, named?.required.has(key))]),
      ),
    };
  });
  const one = category.includes('parallel') ? undefined : expected.length === 1 ? expected[0] : undefined;
  return one
    ? { ...base, expected_tool: one.tool, expected_params: one.params, allow_extra_calls: false }
    : { ...base, expected_calls: expected, call_order: 'any', allow_extra_calls: false };
}

const mapValues = <Value, Made>(
  object: Record<string, Value>,
  change: (value: Value, key: string) => Made,
): Record<string, Made> => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
