import { readFileSync } from 'node:fs';
import type { CaseInput } from '#lib/contracts/case';
import type { AnswerCheck, Conversation, PatchOperation } from '#lib/contracts/conversation';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { parseReply } from '../replies/parse-reply.js';
import { checkAnswer } from './answer-checks.js';
import { mergeConversation } from './merge.js';
import { applyPatch } from './patch.js';
import { playReplies } from './play-replies.js';
import { answerCalls, beginConversation, prepareConversation } from './play.js';
import { schemaFault } from './schema-fault.js';
import { scoreConversation } from './score.js';

const page = readFileSync(new URL('../../../docs/conversations.md', import.meta.url), 'utf8');
const [, worked] = page.split('<!-- worked values -->');

/** The rows of the table whose first column has this header. */
function rowsUnder(first: string): string[][] {
  const lines = worked!.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${first} `));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}
const quoted = (cell: string): string => /`(.*)`/.exec(cell)?.[1] ?? '';
const json = (cell: string): Json => parseJson(quoted(cell));
const stateOf = (sentence: RegExp): Json => parseJson(sentence.exec(worked!)![1]!);
const state = stateOf(/where the state is `([^`]*)`/);
const toolOf = (name: string): Tool => ({ type: 'function', function: { name, parameters: { type: 'object' } } });

test.each(rowsUnder('state'))('%s after %s is %s', (before, patch, after) => {
  const given = json(before!);
  const text = JSON.stringify(given);
  const apply = (): Json => applyPatch(given, json(patch!) as unknown as PatchOperation[]).state;
  if (after === 'fails') expect(apply).toThrow(/\.$/);
  else expect(JSON.stringify(apply())).toBe(JSON.stringify(json(after!)));
  expect(JSON.stringify(given)).toBe(text);
});

test.each(rowsUnder('of the rules'))('%s: %s', (_what, rules, args, answer, changes) => {
  const conversation = { state, tools: { f: json(rules!) }, goal: {} } as unknown as Conversation;
  const prepared = prepareConversation({ conversation }, [toolOf('f')]);
  const call = { name: 'f', arguments: json(args!) as JsonObject };
  const { calls } = answerCalls(prepared, beginConversation(conversation), [call], schemaFault);
  expect([calls[0]!.answer, calls[0]!.is_error]).toEqual([quoted(answer!), answer!.startsWith('error')]);
  const changed = Object.fromEntries(calls[0]!.changes.map(({ path, value }) => [path, value]));
  expect(changed).toEqual(changes === 'no change' ? {} : json(changes!));
});

test.each(rowsUnder('check'))('%s of %s: %s', (check, answer, holds) => {
  const texts = [quoted(answer!).replaceAll('\\t', '\t')];
  expect(checkAnswer(json(check!) as unknown as AnswerCheck, { texts, state, rounds: [] }).holds).toBe(holds === 'yes');
});

test.each(rowsUnder('in the conversation'))('%s: %s', (_what, replies, ...figures) => {
  const goal = stateOf(/whose goal is `([^`]*)`/) as unknown as Conversation['goal'];
  const cancel = [{ effects: [{ op: 'replace' as const, path: '/status', value: 'cancelled' }] }];
  const tools = ['get', 'cancel', 'refund'].map(toolOf);
  const conversation = { state: { status: 'packed' }, tools: { get: [{}], cancel, refund: [{}] }, max_rounds: 4, goal };
  const input = mergeConversation({ prompt: 'p', conversation } as CaseInput);
  const read = [...replies!.matchAll(/\[(\w+)\]|`([^`]*)`/g)].map(([, name, text]) => ({
    reply: parseReply(name ? { tool_calls: [{ function: { name, arguments: '{}' } }] } : { content: text! }, tools),
    text: text ?? '',
  }));
  const { rounds, end } = playReplies({ input, tools, replies: read, schemaFault });
  const played = rounds.map((round, index) => ({ ...read[index]!, played: round }));
  const { evidence, overall, passed, error_type } = scoreConversation({ input, tools, rounds: played, end });
  const { calls, state: ofState, answer } = evidence.conversation!;
  [calls, ofState, answer, overall].forEach((figure, index) => expect(figure).toBeCloseTo(Number(figures[index]), 9));
  expect(passed ? 'passes' : error_type).toBe(figures[4]);
});

test('there are sixty of them', () => {
  const rows = ['state', 'of the rules', 'check', 'in the conversation'].flatMap(rowsUnder);
  expect(rows.length).toBeGreaterThanOrEqual(60);
});
