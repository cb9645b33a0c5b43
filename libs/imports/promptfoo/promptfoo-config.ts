import { isObject, MAX_JSON_DEPTH, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_CASES_PER_IMPORT } from '#lib/contracts/suite';
import type { Warnings } from '../source/warnings.js';
import { renderTemplate } from './template.js';

/** A test merged with `defaultTest` and its scenario. */
export interface PromptfooTest {
  line: number;
  /** Its name in messages: "test 3". */
  title: string;
  description: string | undefined;
  vars: JsonObject;
  assertions: Json[];
  options: JsonObject;
  metadata: JsonObject;
  threshold: Json | undefined;
  /** Code that decides whether the test passes. */
  scoring: Json | undefined;
  /** The options of its own provider, which replace the file's. */
  provider: JsonObject;
  /** Labels or ids of the prompts that it uses; undefined for all. */
  prompts: Json | undefined;
}
export interface PromptfooPrompt {
  raw: string;
  label: string;
  id: string | undefined;
  /** The provider options set by the prompt, such as tools. */
  config: JsonObject;
}
export interface PromptfooConfig {
  description: string | undefined;
  prompts: PromptfooPrompt[];
  /** The options of each provider that has any. */
  providers: JsonObject[];
  env: JsonObject;
  tests: PromptfooTest[];
}

/** Returns the lines of the entries of a top-level list of the configuration. */
type LinesOf = (key: string) => readonly number[];

export const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const listIn = (value: Json | undefined): Json[] => [value ?? []].flat();
const quoted = (value: Json | undefined): string => JSON.stringify(value ?? null).slice(0, 80);

/**
 * Reads a configuration the way promptfoo resolves it, except for content outside the file.
 * @throws ProblemError 400 or 422
 */
export function readConfig(given: Json, linesOf: LinesOf, warnings: Warnings): PromptfooConfig {
  if (!isObject(given))
    throw new ProblemError(400, 'A promptfoo configuration is an object with "prompts" and "tests".');
  const config = renderEnvironment(resolveReferences(given));
  if (config.nunjucksFilters !== undefined)
    warnings.add('"nunjucksFilters" are code, which is not run: prompts that use them are left out.');
  if (isObject(config.commandLineOptions) && Object.keys(config.commandLineOptions).some((key) => /^filter/.test(key)))
    warnings.add('The filters in "commandLineOptions" are not applied: all tests are read.');
  if (objectIn(config.evaluateOptions).repeat !== undefined)
    warnings.add('"repeat" is not converted: a run asks each case as often as its "samples" say.');
  const providers = readProviders(config.targets ?? config.providers ?? null);
  return {
    description: typeof config.description === 'string' ? config.description : undefined,
    prompts: readPrompts(config.prompts ?? ['{{prompt}}'], providers, warnings),
    providers,
    env: objectIn(config.env),
    tests: readTests(config, linesOf, warnings),
  };
}

// Tests.

function readTests(config: JsonObject, linesOf: LinesOf, warnings: Warnings): PromptfooTest[] {
  const { tests = null, scenarios = null, defaultTest = null } = config;
  for (const [key, value] of Object.entries({ tests, scenarios, defaultTest })) {
    const path = isObject(value) ? value.path : value;
    if (typeof path === 'string')
      throw new ProblemError(
        422,
        `"${key}" must be ${key === 'defaultTest' ? 'an object' : 'a list'}; "${path.slice(0, 200)}" names a file: ` +
          'put its content into the configuration.',
      );
  }
  const defaults = { metadata: config.metadata ?? null, ...objectIn(defaultTest) };
  const own = listIn(tests);
  const given = own.length > 0 || scenarios !== null ? own : [{}];
  if (given.length === 0 && listIn(scenarios).length === 0)
    throw new ProblemError(422, '"tests" must be a list of tests.');
  const read: PromptfooTest[] = [];
  const add = (test: PromptfooTest): void => {
    if (read.push(test) > MAX_CASES_PER_IMPORT) throw tooManyTests();
  };
  const lines = linesOf('tests');
  for (const [index, test] of given.entries()) {
    const [line, title] = [lines[index] ?? index + 1, `test ${index + 1}`];
    const why = whyUnread(test);
    if (why) warnings.addAtLine(line, `${title} ${why}, left out`);
    else add(mergeTest(line, title, [defaults, test as JsonObject]));
  }
  for (const test of scenarioTests(listIn(scenarios), defaults, linesOf('scenarios'), warnings)) add(test);
  return read;
}

const tooManyTests = (): ProblemError =>
  new ProblemError(422, `The tests and scenarios are more than ${MAX_CASES_PER_IMPORT} tests. Divide the file.`);

/** Each entry of a scenario's `config` with each of its tests. */
function* scenarioTests(
  scenarios: readonly Json[],
  defaults: JsonObject,
  lines: readonly number[],
  warnings: Warnings,
): Generator<PromptfooTest> {
  for (const [index, scenario] of scenarios.entries()) {
    const line = lines[index] ?? index + 1;
    const { config, tests } = objectIn(scenario);
    if (!Array.isArray(config) || !Array.isArray(tests)) {
      const where = [scenario, config, tests].find((one) => typeof one === 'string');
      const why = where === undefined ? 'has no lists "config" and "tests"' : `is in a file (${quoted(where)})`;
      warnings.addAtLine(line, `scenario ${index + 1} ${why}, left out`);
      continue;
    }
    for (const [at, data] of config.entries()) {
      for (const [number, test] of tests.entries()) {
        const title = `scenario ${index + 1}, data ${at + 1}, test ${number + 1}`;
        const why = whyUnread(data) ?? whyUnread(test);
        if (why) warnings.addAtLine(line, `${title} ${why}, left out`);
        else yield mergeTest(line, title, [defaults, data as JsonObject, test as JsonObject]);
      }
    }
  }
}

function whyUnread(test: Json): string | undefined {
  if (typeof test === 'string') return `is in a file (${quoted(test)})`;
  if (!isObject(test)) return `is not an object (${quoted(test)})`;
  if (typeof test.$ref === 'string' || typeof test.path === 'string') return `is elsewhere (${quoted(test)})`;
  if (test.vars !== undefined && test.vars !== null && !isObject(test.vars))
    return `has its variables in a file (${quoted(test.vars)})`;
  return undefined;
}

/** Merges the layers of a test; later ones take precedence, and assertions add up. */
function mergeTest(line: number, title: string, layers: readonly JsonObject[]): PromptfooTest {
  const [defaults, ...own] = layers;
  const join = (key: string): JsonObject => Object.assign({}, ...layers.map((layer) => objectIn(layer[key])));
  const last = (key: string): Json | undefined =>
    layers.map((layer) => layer[key] ?? undefined).findLast((one) => one !== undefined);
  const isBare = own.some((layer) => objectIn(layer.options).disableDefaultAsserts === true);
  const description = last('description');
  // An empty string does not remove a prefix.
  const affixes = Object.fromEntries(
    ['prefix', 'suffix'].map((key) => [
      key,
      layers.map((layer) => objectIn(layer.options)[key]).findLast(Boolean) ?? '',
    ]),
  );
  return {
    line,
    title,
    description: typeof description === 'string' ? description : undefined,
    vars: join('vars'),
    assertions: (isBare ? own : [defaults!, ...own]).flatMap((layer) => listIn(layer.assert)),
    options: { ...join('options'), ...affixes },
    metadata: join('metadata'),
    threshold: last('threshold'),
    scoring: last('assertScoringFunction'),
    provider: objectIn(last('provider')),
    prompts: last('prompts'),
  };
}

// Prompts and providers.

/** Names of prompts that are loaded from elsewhere. */
const EXTERNAL_REFERENCE = /^(?:file|https?|langfuse|portkey|helicone|exec|package):/;
const FILE = /^[\w./\\*-]+\.(?:txt|json|jsonl|ya?ml|[cm]?[jt]s|py|md|csv|j2|sh|rb|pl|exe|bat|cmd|ps1)(?::\w+)?$/;

function readPrompts(given: Json, providers: readonly JsonObject[], warnings: Warnings): PromptfooPrompt[] {
  // The keys of an object are prompts or their files, the values labels.
  const list = isObject(given)
    ? Object.entries(given).map(([raw, label]): Json => ({ raw, label }))
    : listIn(given).filter((one) => one !== null);
  const prompts = list.flatMap((prompt): PromptfooPrompt[] => {
    const given = isObject(prompt) ? prompt : { raw: prompt };
    const { label, id, config } = given as JsonObject;
    const raw = given.raw ?? (given as JsonObject).content ?? id ?? null;
    if (typeof raw !== 'string' || EXTERNAL_REFERENCE.test(raw) || FILE.test(raw)) {
      warnings.add(`The prompt ${quoted(raw)} is elsewhere and is left out: put its text into the configuration.`);
      return [];
    }
    return [
      {
        raw,
        label: typeof label === 'string' ? label : raw,
        id: typeof id === 'string' ? id : undefined,
        config: objectIn(config),
      },
    ];
  });
  if (prompts.length === 0)
    throw new ProblemError(422, 'The configuration has no prompts of its own: "prompts" must hold texts.');
  const filters = providers.map((provider) => provider.prompts);
  const isUsed = (prompt: PromptfooPrompt): boolean =>
    providers.length === 0 || filters.some((names) => takesPrompt(names, prompt));
  return prompts.filter((prompt) => {
    if (isUsed(prompt)) return true;
    warnings.add(`The prompt ${quoted(prompt.label)} is left out: no provider of the file takes it.`);
    return false;
  });
}

/** Whether a list of labels or ids, which may end with "*", matches a prompt. */
export function takesPrompt(names: Json | undefined, { label, id }: PromptfooPrompt): boolean {
  if (!Array.isArray(names)) return true;
  return names.some((name) => {
    if (typeof name !== 'string') return false;
    const begin = name.endsWith('*') ? name.slice(0, -1) : `${name}:`;
    return [label, id].some((one) => one !== undefined && (one === name || one.startsWith(begin)));
  });
}

/** Providers may be names, options with an `id`, or objects with the options under the name. */
function readProviders(given: Json): JsonObject[] {
  return listIn(given).map((provider) => {
    if (!isObject(provider)) return {};
    if (provider.id !== undefined || isObject(provider.config)) return provider;
    return objectIn(Object.values(provider).find(isObject));
  });
}

// The environment.

/** Renders variables of the configuration's own environment in all of its texts; promptfoo also does this first. */
function renderEnvironment(config: JsonObject): JsonObject {
  const env = objectIn(config.env);
  const render = (value: Json): Json => {
    if (typeof value === 'string') return withEnvironment(value, env);
    if (Array.isArray(value)) return value.map(render);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, render(inner)]));
  };
  return /\benv[.[]/.test(JSON.stringify(config)) ? (render(config) as JsonObject) : config;
}

function withEnvironment(text: string, env: JsonObject): string {
  let [filled, at] = ['', 0];
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open + 2);
    if (close < 0) break;
    const tag = text.slice(open, close + 2);
    filled += text.slice(at, open) + (/\benv[.[]/.test(tag) ? (filledTag(tag, env) ?? tag) : tag);
    at = close + 2;
  }
  return filled + text.slice(at);
}

/** A tag that depends only on the environment, rendered; undefined if it is rendered later. */
function filledTag(tag: string, env: JsonObject): string | undefined {
  try {
    return renderTemplate(tag, { vars: {}, env });
  } catch {
    return undefined;
  }
}

// References.

const MAX_RESOLVED = 1_000_000;

/** Resolves each `$ref` within the file, as promptfoo does everywhere except in tool schemas. */
function resolveReferences(config: JsonObject): JsonObject {
  let resolved = 0;
  const refuse = (pointer: string, why: string): never => {
    throw new ProblemError(422, `The reference "${pointer.slice(0, 200)}" ${why}.`);
  };
  const follow = (pointer: string, depth: number, open: readonly string[]): Json => {
    if (open.includes(pointer)) refuse(pointer, 'leads back to itself');
    return resolve(valueAt(config, pointer) ?? refuse(pointer, 'names nothing in the file'), depth, [...open, pointer]);
  };
  const resolve = (value: Json, depth: number, open: readonly string[]): Json => {
    if (!Array.isArray(value) && !isObject(value)) return value;
    if (++resolved > MAX_RESOLVED || depth > MAX_JSON_DEPTH)
      refuse(open.at(-1) ?? '#', `stands for more than ${MAX_RESOLVED} values, or for too deep ones`);
    if (Array.isArray(value)) return value.map((one) => resolve(one, depth + 1, open));
    const { $ref: pointer, ...beside } = value;
    if (typeof pointer === 'string' && pointer.startsWith('#/')) {
      const found = follow(pointer, depth, open);
      return isObject(found) ? { ...found, ...(resolve(beside, depth, open) as JsonObject) } : found;
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, SCHEMAS.has(key) ? inner : resolve(inner, depth + 1, open)]),
    );
  };
  return JSON.stringify(config).includes('"$ref"') ? (resolve(config, 0, []) as JsonObject) : config;
}
const SCHEMAS = new Set(['parameters', 'input_schema', 'inputSchema']);

/** The value at the JSON pointer of a reference. */
function valueAt(config: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = config;
  for (const part of decoded(pointer).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!(isObject(value) || Array.isArray(value)) || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
