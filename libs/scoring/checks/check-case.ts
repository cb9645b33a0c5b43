import type { CaseInput, ScoringConfig, ScoringMode } from '#lib/contracts/case';
import { isNumber, isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { insteadOf } from '#lib/contracts/input/nearest';
import { pointer, type InputError } from '#lib/contracts/problem';
import type { Tool } from '#lib/contracts/tool';
import { checkTools } from './check-tools.js';
import { compilePattern, MATCHERS, matcherOf, ruleFor } from '../house/match-arguments.js';
import { toolSetOf } from '../cases/tool-set.js';

/** Names that are not there are compared with all that are; a case may name thousands. */
const MOST_COMPARED = 10;

const OF_CHAINS = ['max_rounds', 'optimal_hops', 'valid_prerequisites', 'mock_responses'] as const;

/** What a case says of a chain without being one. Cases that are stored may: they are played as one turn, as ever. */
export function checkChainFields(input: CaseInput): InputError[] {
  if (input.multi_turn) return [];
  const said = OF_CHAINS.filter(
    (key) =>
      input[key] != null &&
      Object.keys(Object(input[key]) as object).length + Number(typeof input[key] === 'number') > 0,
  );
  return said.map((key) => ({
    path: pointer([key]),
    message: 'is about a chain of calls: set "multi_turn" to true, or leave it out.',
  }));
}

/** What is wrong with a case beyond its schema; paths are pointers into it. Empty: it can be run and scored. */
export function checkCase(input: CaseInput, suite: readonly Tool[]): InputError[] {
  const errors: InputError[] = [];
  const fail = (path: PropertyKey[], message: string): void => void errors.push({ path: pointer(path), message });
  let unknown = 0;
  const failUnknown: FailUnknown = (path, name, where, among) => {
    const known = among.map((tool) => tool.function.name);
    fail(
      path,
      `No tool "${name}" in the ` +
        `${where}.${++unknown <= MOST_COMPARED ? ` ${insteadOf(name, known, 'its tools')}` : ''}`,
    );
  };
  checkOwnTools(input, suite, fail, failUnknown);
  const tools = toolSetOf(input, suite);
  const names = new Set(tools.map((tool) => tool.function.name.toLowerCase()));
  const checkNames = (path: PropertyKey[], expected: string | string[]): void => {
    for (const name of [expected].flat()) {
      if (!names.has(name.toLowerCase())) failUnknown(path, name, input.tools ? 'tools of the case' : 'suite', tools);
    }
  };

  if (input.prompt === undefined && !input.messages)
    fail(['prompt'], 'is missing: give a "prompt", or a conversation in "messages".');
  if (input.prompt !== undefined && input.messages)
    fail(['messages'], 'cannot stand beside "prompt": put the prompt into the conversation as its last user message.');

  if (input.expected_calls) {
    for (const key of ['expected_tool', 'expected_params'] as const) {
      if (input[key] !== undefined && input[key] !== null)
        fail([key], `cannot stand beside "expected_calls": move it into the list.`);
    }
    if (input.multi_turn)
      fail(['expected_calls'], 'cannot be used with "multi_turn": a chain expects one tool, in "expected_tool".');
    input.expected_calls.forEach((call, index) => {
      checkNames(['expected_calls', index, 'tool'], call.tool);
      if (call.params)
        checkExpected(
          ['expected_calls', index, 'params'],
          call.params,
          call.scoring_config ?? input.scoring_config,
          input.param_scoring,
          fail,
        );
    });
    if (input.should_call_tool === true && input.expected_calls.length === 0)
      fail(['should_call_tool'], 'is true, but "expected_calls" is empty, which means that no tool should be called.');
    if (input.should_call_tool === false && input.expected_calls.length > 0)
      fail(['should_call_tool'], 'is false, but "expected_calls" names calls.');
  } else if (input.expected_tool === undefined) {
    if (input.should_call_tool !== false)
      fail(
        ['expected_tool'],
        'is missing: name the tool that should be called, a list of acceptable ones, or null when none should be.',
      );
  } else if (input.expected_tool === null) {
    if (input.should_call_tool === true)
      fail(['should_call_tool'], 'is true, but "expected_tool" is null, which means that no tool should be called.');
    if (input.expected_params && Object.keys(input.expected_params).length)
      fail(['expected_params'], 'cannot be given when no tool should be called.');
  } else {
    if (Array.isArray(input.expected_tool) && input.expected_tool.length === 0)
      fail(['expected_tool'], 'is an empty list: name a tool, or use null when none should be called.');
    if (input.should_call_tool === false)
      fail(['should_call_tool'], 'is false, but "expected_tool" names a tool: use null.');
    checkNames(['expected_tool'], input.expected_tool);
    if (input.expected_params)
      checkExpected(['expected_params'], input.expected_params, input.scoring_config, input.param_scoring, fail);
  }
  input.valid_prerequisites?.forEach((name, index) => checkNames(['valid_prerequisites', index], name));
  for (const name of Object.keys(input.mock_responses ?? {})) checkNames(['mock_responses', name], name);
  return errors;
}

function checkOwnTools(
  { tools, distractors }: CaseInput,
  suite: readonly Tool[],
  fail: Fail,
  failUnknown: FailUnknown,
): void {
  const names = new Set(suite.map((tool) => tool.function.name.toLowerCase()));
  const seen = new Set<string>();
  tools?.forEach((tool, index) => {
    const name = typeof tool === 'string' ? tool : tool.function.name;
    if (typeof tool === 'string' && !names.has(name.toLowerCase())) failUnknown(['tools', index], name, 'suite', suite);
    if (seen.has(name.toLowerCase()))
      fail(['tools', index], `"${name}" is listed twice; names are compared ignoring case.`);
    seen.add(name.toLowerCase());
    if (typeof tool !== 'string')
      for (const { path, message } of checkTools([tool])) fail(['tools', index, ...path.split('/').slice(2)], message);
  });
  if (distractors === undefined) return;
  const count = typeof distractors === 'number' ? distractors : distractors.count;
  if (count > suite.length) fail(['distractors'], `asks for ${count}, but the suite has ${suite.length} tools.`);
}

type Fail = (path: PropertyKey[], message: string) => void;
type FailUnknown = (path: PropertyKey[], name: string, where: string, among: readonly Tool[]) => void;

function checkExpected(
  path: PropertyKey[],
  params: JsonObject,
  config: ScoringConfig | null | undefined,
  scoring: ScoringMode | undefined,
  fail: Fail,
): void {
  for (const [key, value] of Object.entries(params)) {
    checkValue([...path, key], value, ruleFor(key, config, scoring).mode, true, fail);
  }
}

function checkValue(path: PropertyKey[], value: Json, mode: ScoringMode, valueOfKey: boolean, fail: Fail): void {
  if (typeof value === 'string' && mode === 'regex') checkPattern(path, value, fail);
  if (Array.isArray(value)) value.forEach((item, index) => checkValue([...path, index], item, mode, false, fail));
  if (!isObject(value)) return;
  const unknown = Object.keys(value).find(
    (key) => key.startsWith('$') && key !== '$epsilon' && !(MATCHERS as readonly string[]).includes(key),
  );
  if (unknown) return fail([...path, unknown], `is no matcher. Matchers: ${MATCHERS.join(', ')}.`);
  const matcher = matcherOf(value);
  if (!matcher) {
    if ('$epsilon' in value) return fail([...path, '$epsilon'], 'belongs to "$approx".');
    for (const [key, inner] of Object.entries(value)) checkValue([...path, key], inner, mode, true, fail);
    return;
  }
  const others = Object.keys(value).filter((key) => key !== matcher && !(matcher === '$approx' && key === '$epsilon'));
  if (others.length) return fail([...path, others[0]!], `cannot stand beside "${matcher}".`);
  const inner = value[matcher]!;
  const here = [...path, matcher];
  switch (matcher) {
    case '$one_of':
      if (!Array.isArray(inner) || inner.length === 0)
        return fail(here, 'must be a list of at least one acceptable value.');
      return inner.forEach((member, index) => checkValue([...here, index], member, mode, false, fail));
    case '$regex':
      return typeof inner === 'string' ? checkPattern(here, inner, fail) : fail(here, 'must be a pattern in a string.');
    case '$contains':
      return typeof inner === 'string' && inner !== '' ? undefined : fail(here, 'must be a string that is not empty.');
    case '$approx':
      if (!isNumber(inner)) fail(here, 'must be a number.');
      if (value.$epsilon !== undefined && !(isNumber(value.$epsilon) && Number(JSON.stringify(value.$epsilon)) >= 0))
        fail([...path, '$epsilon'], 'must be a number, 0 or more.');
      return;
    case '$any':
    case '$absent':
      if (inner !== true) fail(here, 'must be true.');
      if (matcher === '$absent' && !valueOfKey) fail(here, 'can only be the value of a key.');
      return;
    case '$optional':
      if (!valueOfKey) return fail(here, 'can only be the value of a key.');
      if (isObject(inner) && ('$optional' in inner || '$absent' in inner))
        return fail(here, 'cannot hold "$optional" or "$absent".');
      return checkValue(here, inner, mode, true, fail);
  }
}

function checkPattern(path: PropertyKey[], pattern: string, fail: Fail): void {
  try {
    compilePattern(pattern);
  } catch (error) {
    fail(
      path,
      `is not a pattern that RE2 can compile: ${(error as Error).message}. RE2 has no look-around ` +
        'and no back-references.',
    );
  }
}
