import type { CaseInput } from '#lib/contracts/case';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_CASES_PER_IMPORT } from '#lib/contracts/suite';
import type { Tool } from '#lib/contracts/tool';
import { readTools } from '../traces/conversation-cases.js';
import {
  toPromptOrMessages,
  readGivenTools,
  SuiteTools,
  type SuiteDraft,
  type ImportSource,
} from '../source/import-source.js';
import { readWholeText } from '../source/text-stream.js';
import { readExpectations, type CallExpectations } from './promptfoo-assertions.js';
import { readYaml, YAML_LIMIT } from '../files/read-yaml.js';
import { InferredTools } from '../source/inferred-tools.js';
import type { Warnings } from '../source/warnings.js';

const MAX_COMBINATIONS = 1000;
/** A prompt of a case has at most 50,000 characters. A conversation may have several of them. */
const MAX_FILLED_LENGTH = 1_000_000;

/** A case that a test defines, before the suite's tools are known. */
interface PlannedCase {
  line: number;
  name: string | undefined;
  prompt: ReturnType<typeof toPromptOrMessages>;
  expectations: CallExpectations;
  metadata: JsonObject;
}

/**
 * Imports a promptfoo configuration in YAML or JSON. Each test with assertions about tool calls becomes one case for
 * each prompt.
 */
export async function importPromptfoo(
  { text: given, settings }: ImportSource,
  warnings: Warnings,
): Promise<SuiteDraft> {
  const text = await readWholeText(given, YAML_LIMIT);
  const { value, linesOf } = typeof text === 'string' ? readYaml(text) : { value: text, linesOf: (): number[] => [] };
  if (!isObject(value))
    throw new ProblemError(400, 'A promptfoo configuration is an object with "prompts" and "tests".');
  const { tests } = value;
  if (!Array.isArray(tests)) {
    const file = typeof tests === 'string' ? `; "${tests}" names a file: put its tests into the configuration` : '';
    throw new ProblemError(422, `"tests" must be a list${file}.`);
  }
  const suiteTools = new SuiteTools(readGivenTools(settings));
  for (const tool of declaredTools(value, warnings)) suiteTools.offer(tool);
  const prompts = readPrompts(value.prompts ?? null, warnings);
  const planned = planCases(tests, value, prompts, linesOf('tests'), warnings);
  if (suiteTools.list().length === 0) for (const tool of inferTools(planned, warnings)) suiteTools.offer(tool);

  const tools = suiteTools.list();
  const { cases, lines } = makeCases(planned, tools);
  const description = typeof value.description === 'string' ? value.description.trim().slice(0, 200) : '';
  const name = description || 'Imported from promptfoo';
  return { suite: { name, ...settings, tools, test_cases: cases }, lines, leaveOut: warnings };
}

function planCases(
  tests: readonly Json[],
  { defaultTest }: JsonObject,
  prompts: readonly string[],
  lines: readonly number[],
  warnings: Warnings,
): PlannedCase[] {
  const defaults: JsonObject = isObject(defaultTest) ? defaultTest : {};
  const planned: PlannedCase[] = [];
  for (const [index, test] of tests.entries()) {
    const line = lines[index] ?? index + 1;
    if (!isObject(test)) {
      warnings.addAtLine(line, `test ${index + 1} is not an object (${JSON.stringify(test).slice(0, 80)}), left out`);
      continue;
    }
    const assertions = [...[defaults.assert ?? []].flat(), ...[test.assert ?? []].flat()];
    const expectations = readExpectations(assertions, (message) => warnings.addAtLine(line, message));
    if (!expectations) {
      warnings.addAtLine(line, `test ${index + 1} asserts nothing of tools that can be converted, left out`);
      continue;
    }
    const vars = { ...(isObject(defaults.vars) ? defaults.vars : {}), ...(isObject(test.vars) ? test.vars : {}) };
    const shared = {
      line,
      name: typeof test.description === 'string' ? test.description.slice(0, 200) : undefined,
      expectations,
      metadata: isObject(test.metadata) ? test.metadata : {},
    };
    for (const messages of filledPrompts(prompts, vars, line, warnings)) {
      if (planned.length > MAX_CASES_PER_IMPORT)
        throw new ProblemError(
          422,
          'The tests, with every prompt and combination of variables, are more than ' +
            `${MAX_CASES_PER_IMPORT} cases. Divide the file.`,
        );
      planned.push({ ...shared, prompt: toPromptOrMessages(messages) });
    }
  }
  return planned;
}

/** Yields each prompt with each combination of the variables. Prompts that cannot be filled in are left out. */
function* filledPrompts(
  prompts: readonly string[],
  vars: JsonObject,
  line: number,
  warnings: Warnings,
): Generator<JsonObject[]> {
  for (const combination of combinationsOf(vars)) {
    for (const prompt of prompts) {
      const filled = fill(prompt, combination);
      if (typeof filled === 'string') yield messagesOf(filled);
      else warnings.addAtLine(line, `a prompt ${filled.why}, left out: ${prompt.slice(0, 80)}`);
    }
  }
}

function inferTools(planned: readonly PlannedCase[], warnings: Warnings): Tool[] {
  const inferred = new InferredTools();
  for (const { expectations } of planned)
    for (const { tool, params } of expectations.calls) inferred.addCall(tool, params);
  return inferred.list(warnings);
}

function makeCases(planned: readonly PlannedCase[], tools: readonly Tool[]): { cases: CaseInput[]; lines: number[] } {
  const [cases, lines]: [CaseInput[], number[]] = [[], []];
  for (const { line, name, prompt, expectations, metadata } of planned) {
    cases.push({
      ...(name && { name }),
      ...(typeof metadata.category === 'string' && { category: metadata.category.slice(0, 200) }),
      ...prompt,
      ...expecting(expectations, tools),
    });
    lines.push(line);
  }
  return { cases, lines };
}

function expecting({ calls, order, any, none }: CallExpectations, tools: readonly Tool[]): Partial<CaseInput> {
  if (none) return { expected_tool: null };
  if (calls.length === 0 && any) return { expected_tool: tools.map((tool) => tool.function.name) };
  const [only] = calls;
  if (calls.length === 1) return { expected_tool: only!.tool, ...(only!.params && { expected_params: only!.params }) };
  return { expected_calls: calls, call_order: order };
}

function declaredTools({ providers, targets }: JsonObject, warnings: Warnings): Tool[] {
  return [providers ?? targets ?? []].flat().flatMap((provider) => {
    const config = isObject(provider)
      ? (provider.config ?? Object.values(provider).find((inner) => isObject(inner) && isObject(inner.config)))
      : null;
    const holder = isObject(config) && isObject(config.config) ? config.config : config;
    const tools = isObject(holder) ? (holder.tools ?? holder.functions ?? []) : [];
    if (typeof tools === 'string')
      warnings.add(
        `The tools of a provider stand in a file (${tools}), which is not here: give them as "tools" ` +
          'beside the configuration.',
      );
    const flat = [tools]
      .flat()
      .flatMap((tool) => (isObject(tool) ? (tool.functionDeclarations ?? tool.function_declarations ?? tool) : []));
    return readTools(flat, (message) => warnings.add(message));
  });
}

function readPrompts(prompts: Json, warnings: Warnings): string[] {
  const texts = [prompts ?? []].flat().flatMap((prompt) => {
    const text = isObject(prompt) ? (prompt.raw ?? prompt.content ?? prompt.id ?? null) : prompt;
    if (
      typeof text === 'string' &&
      !/^(file|https?|langfuse|portkey):\/\//.test(text) &&
      !/^[\w./-]+\.(txt|json|ya?ml|[cm]?[jt]s|py|md)$/.test(text)
    )
      return [text];
    warnings.add(
      `The prompt ${JSON.stringify(text)} stands elsewhere and is left out: put its text into the configuration.`,
    );
    return [];
  });
  if (texts.length === 0)
    throw new ProblemError(422, 'The configuration has no prompts of its own: "prompts" must hold texts.');
  return texts;
}

/** A variable with a list of values stands for one test with each of its entries. */
function combinationsOf(vars: JsonObject): JsonObject[] {
  let made: JsonObject[] = [{}];
  for (const [key, value] of Object.entries(vars)) {
    made = made.flatMap((one) => (Array.isArray(value) ? value : [value]).map((entry) => ({ ...one, [key]: entry })));
    if (made.length > MAX_COMBINATIONS)
      throw new ProblemError(422, `The variables of a test have more than ${MAX_COMBINATIONS} combinations.`);
  }
  return made;
}

/** Fills the variables into a prompt, or returns why that is not possible. */
function fill(prompt: string, vars: JsonObject): string | { why: string } {
  const tooMuch = { why: 'uses more of Nunjucks than "{{name}}"' };
  if (prompt.includes('{%') || prompt.includes('{#')) return tooMuch;
  let text = '';
  let from = 0;
  for (let open = prompt.indexOf('{{'); open >= 0; open = prompt.indexOf('{{', from)) {
    const close = prompt.indexOf('}}', open + 2);
    if (close < 0) break;
    const value = valueOf(prompt.slice(open + 2, close), vars);
    if (value === undefined) return tooMuch;
    text += prompt.slice(from, open) + value;
    if (text.length > MAX_FILLED_LENGTH)
      return { why: `has more than ${MAX_FILLED_LENGTH} characters with its variables` };
    from = close + 2;
  }
  return text + prompt.slice(from);
}

/** Returns the value of an expression between `{{` and `}}`, or undefined if it does more than name a variable. */
function valueOf(expression: string, vars: JsonObject): string | undefined {
  const [, name, filter] = /^([\w.]+)(?:\s*\|\s*(dump|trim|safe))?$/.exec(withoutDashes(expression)) ?? [];
  const value = name
    ?.split('.')
    .reduce<Json | undefined>(
      (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      vars,
    );
  return value !== undefined && (filter === 'dump' || typeof value !== 'string')
    ? JSON.stringify(value)
    : (value as string | undefined);
}

/** In Nunjucks, `{{- name -}}` removes the blanks around it. */
function withoutDashes(expression: string): string {
  const begun = (expression.startsWith('-') ? expression.slice(1) : expression).trimStart();
  return (begun.endsWith('-') ? begun.slice(0, -1) : begun).trimEnd();
}

/** A prompt is either the text of a user message, or JSON with a list of messages. */
function messagesOf(prompt: string): JsonObject[] {
  if (/^\s*\[/.test(prompt)) {
    try {
      const messages = parseJson(prompt);
      if (
        Array.isArray(messages) &&
        messages.length &&
        messages.every((message) => isObject(message) && typeof message.role === 'string')
      )
        return messages as JsonObject[];
    } catch {
      // Not JSON: a text that happens to begin like it.
    }
  }
  return [{ role: 'user', content: prompt }];
}
