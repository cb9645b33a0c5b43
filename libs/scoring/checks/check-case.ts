import type { CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { ExpectedCall } from '#lib/contracts/scoring-config';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { jsonPointer, type InputError } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';
import { checkTools } from './check-tools.js';
import { checkConversation } from '../conversation/check.js';
import { checkParams, type Fail } from './check-expected.js';
import { toolSetOf } from '../cases/tool-set.js';

/** Suggestions compare an unknown name with every known name, and a case may have thousands of names. */
const MAX_SUGGESTIONS = 10;

const CHAIN_FIELDS = ['max_rounds', 'optimal_hops', 'valid_prerequisites', 'mock_responses'] as const;

/** Rejects chain fields in a case that is not a chain. Stored cases may have them: they are played as a single turn. */
export function checkChainFields(input: CaseInput): InputError[] {
  if (input.multi_turn || input.conversation) return [];
  return CHAIN_FIELDS.filter((key) => isGiven(input[key])).map((key) => ({
    path: jsonPointer([key]),
    message: 'only applies to chains: set "multi_turn" to true, or leave it out.',
  }));
}

const isGiven = (value: unknown): boolean =>
  typeof value === 'number' || (value != null && Object.keys(Object(value) as object).length > 0);

/**
 * The errors of a case beyond its schema; paths are pointers into it. Empty if it can be run and scored.
 * @param defaults what the conversations of its suite have in common
 */
export function checkCase(
  input: CaseInput,
  suite: readonly Tool[],
  defaults?: ConversationDefaults | null,
): InputError[] {
  const errors: InputError[] = [];
  const fail: Fail = (path, message) => void errors.push({ path: jsonPointer(path), message });
  let unknown = 0;
  const failUnknown: FailUnknown = (path, name, where, among) => {
    const known = among.map((tool) => tool.function.name);
    const suggestion = ++unknown <= MAX_SUGGESTIONS ? ` ${suggestNames(name, known, 'its tools')}` : '';
    fail(path, `No tool "${name}" in the ${where}.${suggestion}`);
  };
  checkOwnTools(input, suite, fail, failUnknown);
  const tools = toolSetOf(input, suite);
  const names = new Set(tools.map((tool) => tool.function.name.toLowerCase()));
  const checkNames: CheckNames = (path, expected) => {
    for (const name of [expected].flat())
      if (!names.has(name.toLowerCase())) failUnknown(path, name, input.tools ? 'tools of the case' : 'suite', tools);
  };

  checkPrompt(input, fail);
  if (input.conversation) errors.push(...checkConversation(input, defaults, suite));
  else if (input.expected_calls) checkExpectedCalls(input, input.expected_calls, fail, checkNames);
  else checkExpectedTool(input, fail, checkNames);
  if (input.conversation) return errors;
  input.valid_prerequisites?.forEach((name, index) => checkNames(['valid_prerequisites', index], name));
  for (const name of Object.keys(input.mock_responses ?? {})) checkNames(['mock_responses', name], name);
  return errors;
}

function checkPrompt(input: CaseInput, fail: Fail): void {
  if (input.prompt === undefined && !input.messages)
    fail(['prompt'], 'is missing: give a "prompt", or a conversation in "messages".');
  if (input.prompt !== undefined && input.messages)
    fail(
      ['messages'],
      'cannot be combined with "prompt": put the prompt into the conversation as its last user message.',
    );
}

function checkExpectedCalls(
  input: CaseInput,
  expected: readonly ExpectedCall[],
  fail: Fail,
  checkNames: CheckNames,
): void {
  for (const key of ['expected_tool', 'expected_params'] as const) {
    if (input[key] !== undefined && input[key] !== null)
      fail([key], `cannot be combined with "expected_calls": move it into the list.`);
  }
  if (input.multi_turn)
    fail(['expected_calls'], 'cannot be used with "multi_turn": a chain expects one tool, in "expected_tool".');
  expected.forEach(({ tool, params, scoring_config }, index) => {
    const path = ['expected_calls', index];
    checkNames([...path, 'tool'], tool);
    const config = scoring_config ?? input.scoring_config;
    if (params) checkParams([...path, 'params'], params, config, input.param_scoring, fail);
  });
  if (input.should_call_tool === true && expected.length === 0)
    fail(['should_call_tool'], 'is true, but "expected_calls" is empty, which means that no tool should be called.');
  if (input.should_call_tool === false && expected.length > 0)
    fail(['should_call_tool'], 'is false, but "expected_calls" names calls.');
}

function checkExpectedTool(input: CaseInput, fail: Fail, checkNames: CheckNames): void {
  const { expected_tool: expected, expected_params: params, should_call_tool: shouldCall } = input;
  if (expected === undefined) {
    if (shouldCall !== false)
      fail(
        ['expected_tool'],
        'is missing: name the tool that should be called, a list of acceptable ones, or null when none should be.',
      );
  } else if (expected === null) {
    if (shouldCall === true)
      fail(['should_call_tool'], 'is true, but "expected_tool" is null, which means that no tool should be called.');
    if (params && Object.keys(params).length)
      fail(['expected_params'], 'cannot be given when no tool should be called.');
  } else {
    if (Array.isArray(expected) && expected.length === 0)
      fail(['expected_tool'], 'is an empty list: name a tool, or use null when none should be called.');
    if (shouldCall === false) fail(['should_call_tool'], 'is false, but "expected_tool" names a tool: use null.');
    checkNames(['expected_tool'], expected);
    if (params) checkParams(['expected_params'], params, input.scoring_config, input.param_scoring, fail);
  }
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

type CheckNames = (path: PropertyKey[], expected: string | string[]) => void;
type FailUnknown = (path: PropertyKey[], name: string, where: string, among: readonly Tool[]) => void;
