import type { Tool } from '#lib/contracts/tool';
import { checkArguments, checkTools } from './check-tools.js';
import { scoreMetric } from './metrics.js';
import { readReply } from './read-reply.js';
import { prepareCase } from './score-case.js';

const tool = (parameters: object): Tool => ({ type: 'function', function: { name: 'f', parameters: parameters as never } });

test('a schema that names an older draft is taken', () => {
  expect(checkTools([tool({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' })])).toEqual([]);
});

test('a pattern that would backtrack for hours is answered at once, and one that RE2 lacks is not checked', () => {
  const slow = tool({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' }, b: { type: 'string', pattern: '^(?=x)' } } });
  expect(checkArguments(slow, { a: `${'a'.repeat(100_000)}!`, b: 'y' }, 0)).toMatchObject([{ path: '/a', problem: 'other' }]);
});

test('an $async schema answers like any other', () => {
  expect(checkArguments(tool({ $async: true, type: 'object', required: ['z'] }), {}, 0)).toMatchObject([{ problem: 'missing_required' }]);
});

test('arguments nested 20,000 levels deep are malformed, not the end of the worker', () => {
  const deep = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000);
  const tools = [tool({ type: 'object' })];
  const reply = readReply({ tool_calls: [{ function: { name: 'f', arguments: deep } }] }, tools);
  expect(prepareCase({ expected_tool: 'f', expected_params: { a: 1 } }, tools, 1).score(reply).error_type).toBe('malformed_arguments');
});

test('more trials than anybody makes are refused, not counted for hours', () => {
  expect(() => scoreMetric('pass_hat_k', {}, { trials: 1e15, successes: 1e15 - 1, k: 1e14 })).toThrow();
});

test('a reply of thousands of calls against a hundred expected ones is paired in bounded time', () => {
  const tools = [tool({ type: 'object' })];
  const reply = readReply({ tool_calls: Array.from({ length: 5000 }, (_, n) => ({ function: { name: 'f', arguments: `{"a":${n}}` } })) }, tools);
  const expected_calls = Array.from({ length: 100 }, (_, n) => ({ tool: 'f', params: { a: 4999 - n } }));
  expect(prepareCase({ expected_calls }, tools, 1).score(reply)).toMatchObject({ overall: 1, tool_score: 1, passed: true });
});
