import type { CaseInput } from '#lib/contracts/case';
import {
  isDeeperThan,
  isObject,
  MAX_JSON_DEPTH,
  parseJson,
  toText,
  type Json,
  type JsonObject,
} from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_CASES_PER_IMPORT, MAX_IMPORT_BYTES } from '#lib/contracts/suite';
import type { Tool } from '#lib/contracts/tool';
import {
  toPromptOrMessages,
  readGivenTools,
  SuiteTools,
  type SuiteDraft,
  type ImportSource,
} from '../source/import-source.js';
import { readWholeText } from '../source/text-stream.js';
import { readYaml, YAML_LIMIT } from '../files/read-yaml.js';
import { InferredTools } from '../source/inferred-tools.js';
import type { Warnings } from '../source/warnings.js';
import { expectedCalls, UnsupportedTest } from './expected-calls.js';
import { KnownTools } from './known-tools.js';
import { readDemands } from './promptfoo-assertions.js';
import {
  objectIn,
  readConfig,
  takesPrompt,
  type PromptfooConfig,
  type PromptfooPrompt,
  type PromptfooTest,
} from './promptfoo-config.js';
import { declaredTools, readDeclared } from './promptfoo-tools.js';
import {
  isTemplate,
  renderDeep,
  renderPrompt,
  renderVariables,
  resolveVariables,
  UnsupportedTemplate,
  type Scope,
} from './template.js';

const MAX_COMBINATIONS = 1000;
/** Limits the values of all combinations of one test. */
const MAX_VALUES = 1_000_000;
/** Limits the prompts and lists of tools that are rendered. Those that become no case count, too. */
const MAX_TRIED = 50_000;

/** A case that a test defines, before the suite's tools are known. */
interface PlannedCase extends Pick<PromptfooTest, 'line' | 'description' | 'metadata'> {
  messages: JsonObject[];
  /** The tools of this case only, or undefined if it uses the suite's. */
  tools: Tool[] | undefined;
  expected: Partial<CaseInput>;
}

/**
 * Imports a promptfoo configuration in YAML or JSON. Each test with assertions about tool calls becomes one case for
 * each prompt and each value of a variable.
 */
export async function importPromptfoo(
  { text: given, settings }: ImportSource,
  warnings: Warnings,
): Promise<SuiteDraft> {
  const text = await readWholeText(given, YAML_LIMIT);
  const { value, linesOf } = typeof text === 'string' ? readYaml(text) : { value: text, linesOf: (): number[] => [] };
  const config = readConfig(value, linesOf, warnings);
  const suiteTools = new SuiteTools(readGivenTools(settings));
  const declared = declaredTools(config.providers, warnings);
  const isTemplated = isTemplate(JSON.stringify(declared));
  if (!isTemplated) for (const tool of readDeclared(declared, warnings)) suiteTools.offer(tool);
  const plan = new Plan(config, suiteTools.list(), isTemplated ? declared : undefined, warnings);
  for (const test of config.tests) plan.add(test);
  const [shared] = plan.cases.map((one) => one.tools);
  for (const one of plan.cases) for (const tool of one.tools ?? []) suiteTools.offer(tool);
  if (suiteTools.list().length === 0) for (const tool of toolsOf(plan.cases, warnings)) suiteTools.offer(tool);
  // If variables render the same tools for all cases, they become the suite's.
  if (plan.cases.every((one) => one.tools === shared)) for (const one of plan.cases) one.tools = undefined;

  const tools = suiteTools.list();
  if (plan.cases.length > 0 && tools.length === 0)
    throw new ProblemError(
      422,
      ['The file has no tools that can be used: send them as "tools" with the configuration.', ...warnings.list()]
        .slice(0, 4)
        .join(' '),
    );
  const name = config.description?.trim().slice(0, 200) || 'Imported from promptfoo';
  return {
    suite: { name, ...settings, tools, test_cases: plan.cases.map((one) => toCase(one, tools)) },
    lines: plan.cases.map(({ line }) => line),
    leaveOut: warnings,
  };
}

/** Collects the cases of tests. */
class Plan {
  readonly cases: PlannedCase[] = [];
  /** The tools of all cases without their own. */
  readonly #known: KnownTools;
  readonly #warned = new Set<string>();
  /** Tools by the JSON of their declarations. */
  readonly #read = new Map<string, Tool[]>();
  /** The last tools without variables, which many tests share. */
  #plain: { list: readonly Json[]; tools: Tool[] } = { list: [], tools: [] };
  #tried = 0;
  #filled = 0;

  constructor(
    readonly config: PromptfooConfig,
    tools: readonly Tool[],
    /** Tools whose texts contain variables: each case has its own. */
    readonly templatedTools: readonly Json[] | undefined,
    readonly warnings: Warnings,
  ) {
    this.#known = new KnownTools(tools);
  }

  add(test: PromptfooTest): void {
    const warn = (message: string): void => {
      const key = `${test.line} ${test.title} ${message}`;
      if (this.#warned.has(key)) return;
      this.#warned.add(key);
      this.warnings.addAtLine(test.line, message);
    };
    try {
      this.#plan(test, warn);
    } catch (error) {
      if (!(error instanceof UnsupportedTest)) throw error;
      warn(`${test.title} ${error.message}, left out`);
    }
  }

  #plan(test: PromptfooTest, warn: (message: string) => void): void {
    const prompts = this.config.prompts.filter((prompt) => takesPrompt(test.prompts, prompt));
    if (prompts.length === 0) throw new UnsupportedTest('takes none of the prompts of the file');
    if (test.options.transformVars !== undefined)
      throw new UnsupportedTest('changes its variables by code, which is not run');
    if (test.threshold !== undefined)
      warn(`the threshold of ${test.title} is not converted: all of its assertions are expected`);
    if (test.scoring !== undefined)
      warn(`the code that scores ${test.title} is not run: all of its assertions are expected`);
    const { env } = this.config;
    for (const given of combinationsOf(test, env)) {
      for (const prompt of prompts) {
        try {
          const scope = { vars: resolveVariables(given), env };
          const missing = new Set<string>();
          const messages = filledPrompt(prompt, test.options, scope, missing);
          this.#count(JSON.stringify(messages).length);
          const tools = this.#toolsFor(prompt, test, scope);
          const expected = this.#expected(test, scope, tools ? new KnownTools(tools) : this.#known, warn);
          if (missing.size > 0)
            warn(
              `a prompt names "${[...missing][0]!.slice(0, 80)}", which has no value: it leaves a gap, as in promptfoo`,
            );
          this.#push({
            line: test.line,
            description: test.description,
            metadata: test.metadata,
            messages,
            tools,
            expected,
          });
        } catch (error) {
          if (error instanceof UnsupportedTest) warn(`${test.title} ${error.message}, left out`);
          else if (error instanceof UnsupportedTemplate)
            warn(`a prompt ${error.message}, left out: ${prompt.raw.slice(0, 80)}`);
          else throw error;
        }
      }
    }
  }

  #expected(test: PromptfooTest, scope: Scope, tools: KnownTools, warn: (message: string) => void): Partial<CaseInput> {
    const isTransformed = [test.options, ...this.config.providers].some(
      ({ transform, postprocess }) => transform !== undefined || postprocess !== undefined,
    );
    const demands = readDemands(test.assertions, {
      scope,
      tools,
      isTransformed,
      warn,
      warnOfFile: (message) => this.#warnOfFile(message),
    });
    const expected = expectedCalls(demands, tools, warn);
    if (!expected) throw new UnsupportedTest('asserts nothing of tools that can be converted');
    return expected;
  }

  #warnOfFile(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.warnings.addForFile(message);
  }

  /** The tools of a test or prompt that has its own, or tools that contain variables. */
  #toolsFor(prompt: PromptfooPrompt, test: PromptfooTest, scope: Scope): Tool[] | undefined {
    const config = { ...objectIn(test.provider.config), ...prompt.config, ...test.options };
    const own = declaredTools([{ config }], this.warnings);
    const list = own.length > 0 ? own : this.templatedTools;
    if (!list) return undefined;
    if (list.length === this.#plain.list.length && list.every((tool, index) => tool === this.#plain.list[index]))
      return this.#plain.tools;
    const filled = renderTools(list, scope);
    const text = JSON.stringify(filled);
    this.#count(text.length);
    const tools = this.#read.get(text) ?? readDeclared(filled, this.warnings);
    this.#read.set(text, tools);
    if (tools.length === 0) throw new UnsupportedTemplate('has no tools that can be used');
    if (!isTemplate(JSON.stringify(list))) this.#plain = { list, tools };
    return tools;
  }

  /** Limits the work of rendering prompts and tools with variables, whether they become cases or not. */
  #count(characters: number): void {
    this.#filled += characters;
    if (++this.#tried > MAX_TRIED || this.#filled > MAX_IMPORT_BYTES)
      throw new ProblemError(
        422,
        'The tests, with every prompt, combination of variables and list of tools, are too many ' +
          `(${MAX_TRIED}) or too long (${MAX_IMPORT_BYTES / 2 ** 20} MiB). Divide the file.`,
      );
  }

  #push(planned: PlannedCase): void {
    if (this.cases.push(planned) > MAX_CASES_PER_IMPORT)
      throw new ProblemError(
        422,
        'The tests, with every prompt and combination of variables, are more than ' +
          `${MAX_CASES_PER_IMPORT} cases. Divide the file.`,
      );
  }
}

function renderTools(tools: readonly Json[], scope: Scope): Json[] {
  try {
    return tools.map((tool) => renderDeep(tool, scope));
  } catch (error) {
    throw error instanceof UnsupportedTemplate ? new UnsupportedTemplate(`has a tool that ${error.message}`) : error;
  }
}

/** A variable with a list of texts means one test for each of them. */
function combinationsOf({ vars, options }: PromptfooTest, env: JsonObject): JsonObject[] {
  if (options.disableVarExpansion === true || isTruthyText(env.PROMPTFOO_DISABLE_VAR_EXPANSION)) return [vars];
  let made: [string, Json][][] = [[]];
  const names = Object.keys(vars).length;
  for (const [key, value] of Object.entries(vars)) {
    const values = Array.isArray(value) && typeof value[0] === 'string' ? value : [value];
    const count = made.length * values.length;
    if (count > MAX_COMBINATIONS || count * names > MAX_VALUES)
      throw new ProblemError(
        422,
        `The variables of a test have more than ${MAX_COMBINATIONS} combinations or ${MAX_VALUES} values.`,
      );
    if (values.length === 1) for (const one of made) one.push([key, values[0]!]);
    else
      made = made.flatMap((one) => values.map((entry): [string, Json] => [key, entry]).map((pair) => [...one, pair]));
  }
  return made.map((one) => Object.fromEntries(one));
}

const isTruthyText = (value: Json | undefined): boolean =>
  ['1', 'true', 'yes', 'yup', 'yeppers'].includes(toText(value).toLowerCase());

/**
 * Renders a prompt with its variables. In JSON each string is rendered separately, so that a quote in a value breaks
 * nothing.
 */
function filledPrompt(prompt: PromptfooPrompt, options: JsonObject, scope: Scope, missing: Set<string>): JsonObject[] {
  const affix = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  const raw = `${affix(options.prefix)}${prompt.raw}${affix(options.suffix)}`;
  const parsed = jsonIn(raw);
  if (parsed !== undefined) return messagesIn(renderDeep(parsed, scope, missing));
  return messagesOf(renderPrompt(raw, { ...scope, vars: renderVariables(scope) }, missing));
}

/** A prompt is the text of a user message, or JSON or YAML with a list of messages. */
function messagesOf(prompt: string): JsonObject[] {
  const trimmed = prompt.trim();
  if (trimmed.startsWith('- role:')) return messagesIn(readYaml(prompt).value);
  const parsed = jsonIn(prompt);
  if (parsed !== undefined) return messagesIn(parsed);
  if (/^\{[^]*\}$/.test(trimmed) || /^\[\s*["{[\]][^]*\]$/.test(trimmed))
    throw new UnsupportedTemplate('looks like JSON and is not, which promptfoo refuses');
  return [{ role: 'user', content: prompt }];
}

function messagesIn(given: Json): JsonObject[] {
  const value = fromGemini(given);
  const list = isObject(value) && Array.isArray(value.messages) ? value.messages : value;
  const system = isObject(value) && typeof value.system === 'string' ? [{ role: 'system', content: value.system }] : [];
  if (
    !Array.isArray(list) ||
    list.length === 0 ||
    !list.every((message) => isObject(message) && typeof message.role === 'string')
  )
    throw new UnsupportedTemplate('is JSON, but not a list of messages with roles');
  return [...system, ...(list as JsonObject[])];
}

/** Converts Gemini's contents to messages, as far as they consist of texts. */
function fromGemini(value: Json): Json {
  const contents = isObject(value) && value.contents !== undefined ? [value.contents].flat() : value;
  if (!Array.isArray(contents) || !contents.some((one) => isObject(one) && one.parts !== undefined)) return value;
  const { systemInstruction, system_instruction } = objectIn(value);
  const system = objectIn(systemInstruction ?? system_instruction);
  return [...(system.parts === undefined ? [] : [{ ...system, role: 'system' }]), ...contents].map((one) => {
    const { parts = null, role = 'user', ...others } = objectIn(one);
    const texts = [parts].flat().map((part) => objectIn(part).text);
    if (Object.keys(others).length > 0 || !texts.every((text) => typeof text === 'string'))
      throw new UnsupportedTemplate('is in the shape of Gemini, with parts other than text');
    return { role: role === 'model' ? 'assistant' : role, content: texts.join('') };
  });
}

function jsonIn(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = parseJson(text);
    return isDeeperThan(value, MAX_JSON_DEPTH) ? undefined : value;
  } catch {
    return undefined; // Plain text that starts like JSON.
  }
}

/** The tools of a file that declares none, inferred from the calls that it expects. */
function toolsOf(planned: readonly PlannedCase[], warnings: Warnings): Tool[] {
  const inferred = new InferredTools();
  for (const { tools, expected } of planned) if (!tools) inferred.addCase(expected as JsonObject);
  return inferred.list(warnings);
}

function toCase({ description, metadata, messages, tools, expected }: PlannedCase, suite: readonly Tool[]): CaseInput {
  const isAny = Array.isArray(expected.expected_tool) && expected.expected_tool.length === 0;
  return {
    ...(description && { name: description.slice(0, 200) }),
    ...(typeof metadata.category === 'string' && { category: metadata.category.slice(0, 200) }),
    ...toPromptOrMessages(messages),
    ...expected,
    ...(isAny && { expected_tool: (tools ?? suite).map((tool) => tool.function.name) }),
    ...(tools && { tools }),
  };
}
