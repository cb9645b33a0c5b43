import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import fc from '../../../test/fast-check.js';
import type { Conversation, ConversationRule, PatchOperation } from '#lib/contracts/conversation';
import type { Json } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import type { ParsedCall } from '#lib/contracts/verdict';
import { CONVERSATION_BOUNDS } from '#lib/contracts/values/conversations';
import { hasNumber } from './answer-checks.js';
import { measure } from './measure.js';
import { applyPatch, PatchFault } from './patch.js';
import * as here from './play.js';

const key = fc.constantFrom('a', 'b', '0', '1', '-', 'a/b', '~', '__proto__', 'constructor', '');
const pointer = fc
  .array(key, { maxLength: 3 })
  .map((keys) => keys.map((one) => `/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const state = fc.oneof(
  value,
  fc.dictionary(fc.constantFrom('a', 'b', '0', 'a/b', '~'), value, { maxKeys: 4 }),
) as fc.Arbitrary<Json>;
const operation: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.record({ op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const), path: pointer, value }),
  fc.record({ op: fc.constant('remove' as const), path: pointer }),
  fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), from: pointer, path: pointer }),
);
const argument = fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.boolean(), fc.constant(null), value);
const filled = fc.oneof(
  value,
  pointer.map((at) => ({ $state: at })),
  pointer.map((at) => ({ $argument: at })),
  fc.constantFrom('{id}', '{{id}', 'is {a}'),
) as fc.Arbitrary<Json>;
const rule = fc.record(
  {
    when: fc.record(
      { call: fc.integer({ min: 1, max: 3 }), state: fc.dictionary(pointer, value, { maxKeys: 1 }) },
      { requiredKeys: [] },
    ),
    effects: fc.array(operation, { maxLength: 3 }),
    respond: filled,
    error: fc.constant('No {id}.'),
    truncate: fc.integer({ min: 0, max: 9 }),
    malformed: fc.constant(true as const),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ConversationRule>;
const tools: Tool[] = ['f', 'g'].map((name) => ({ type: 'function', function: { name } }));
const call: fc.Arbitrary<ParsedCall> = fc.record({
  name: fc.constantFrom('f', 'F', 'g', 'unknown'),
  arguments: fc.option(fc.dictionary(fc.constantFrom('id', 'a'), argument, { maxKeys: 2 })),
}) as fc.Arbitrary<ParsedCall>;
const conversation = fc.record({
  state,
  tools: fc.record({ f: fc.array(rule, { maxLength: 3 }), g: fc.array(rule, { maxLength: 3 }) }),
  goal: fc.constant({}),
}) as fc.Arbitrary<Conversation>;
const rounds = fc.array(fc.array(call, { maxLength: 3 }), { maxLength: 4 });

/** Plays all rounds. @returns the answers of each, and how far the conversation is */
function play(
  player: Pick<typeof here, 'answerCalls' | 'beginConversation' | 'prepareConversation'>,
  of: Conversation,
  calls: ParsedCall[][],
) {
  const prepared = player.prepareConversation({ conversation: of }, tools);
  let progress = player.beginConversation(of);
  const answered = calls.map((one) => {
    const played = player.answerCalls(prepared, progress, one);
    progress = played.progress;
    return { calls: played.calls };
  });
  return { answered, progress };
}

test('a patch is applied whole or not at all, and leaves the state that it is given alone', () => {
  fc.assert(
    fc.property(state, fc.array(operation, { maxLength: 6 }), (before, operations) => {
      const text = JSON.stringify(before);
      let { after, changes }: { after: Json; changes: readonly object[] } = { after: before, changes: [] };
      try {
        ({ state: after, changes } = applyPatch(before, operations));
      } catch (error) {
        expect(error).toBeInstanceOf(PatchFault);
      }
      expect(JSON.stringify(before)).toBe(text);
      // What is recorded makes the same state again.
      expect(JSON.stringify(applyPatch(before, changes as never).state)).toBe(JSON.stringify(after));
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      expect((Object.prototype as { a?: unknown }).a).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test('a size is the length of the JSON', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        state,
        fc.array(fc.constantFrom('a', '"', '\\', '\n', 'é', '€', '😀', '\ud800')).map((all) => all.join('')),
      ),
      (one) => expect(measure(one as Json).bytes).toBe(Buffer.byteLength(JSON.stringify(one))),
    ),
  );
});

test('equal conversations give equal answers and states, and what was played goes on where it was', () => {
  fc.assert(
    fc.property(conversation, rounds, (of, calls) => {
      const copy = structuredClone(of);
      const [first, second] = [play(here, of, calls), play(here, copy, calls)];
      expect(JSON.stringify(second)).toBe(JSON.stringify(first));
      expect(JSON.stringify(of)).toBe(JSON.stringify(copy));
      const sent = JSON.parse(JSON.stringify(first.answered)) as typeof first.answered;
      expect(here.resumeConversation(of, sent)).toEqual(first.progress);
    }),
    { numRuns: 300 },
  );
});

test('an answer that a rule spoils is not JSON, and an error that no rule made changes nothing', () => {
  fc.assert(
    fc.property(conversation, rounds, (of, calls) => {
      for (const one of play(here, of, calls).answered.flatMap((round) => round.calls)) {
        if (one.fault === 'malformed') expect(() => JSON.parse(one.answer)).toThrow(SyntaxError);
        if (one.problem) expect([one.is_error, one.changes]).toEqual([true, []]);
      }
    }),
  );
});

/** The script of a module as a page loads it, with the names of its modules. */
function bundleForPage(input: string): { code: string; modules: string[] } {
  const script = `
    import { rolldown } from 'rolldown';
    const resolve = {
      extensionAlias: { '.js': ['.ts', '.js'] },
      conditionNames: ['toolmark-source', 'browser', 'import', 'default'],
    };
    const bundle = await rolldown({ input: ${JSON.stringify(input)}, platform: 'browser', resolve });
    const { output: [{ code, moduleIds }] } = await bundle.generate({ format: 'iife', name: 'player' });
    await bundle.close();
    process.stdout.write(JSON.stringify({ code, modules: moduleIds }));`;
  const made = execFileSync(process.execPath, ['--input-type=module', '-e', script], { maxBuffer: 2 ** 26 });
  return JSON.parse(made.toString()) as { code: string; modules: string[] };
}

test('the same in Node and in a browser, without Ajv', () => {
  const { code, modules } = bundleForPage(new URL('play.ts', import.meta.url).pathname);
  expect(modules.filter((path) => path.includes('/ajv/'))).toEqual([]);
  // A page has no Node: neither Buffer nor process.
  const page = runInNewContext(`${code}; player`, { TextEncoder }) as typeof here;
  fc.assert(
    fc.property(conversation, rounds, (of, calls) =>
      expect(JSON.stringify(play(page, of, calls))).toBe(JSON.stringify(play(here, of, calls))),
    ),
  );
});

describe('no rule escapes its bounds:', () => {
  const doubling = (times: number): ConversationRule => ({
    effects: Array.from({ length: times }, () => ({ op: 'copy', from: '/a', path: '/a/-' }) as const),
  });
  const of = (rules: ConversationRule[], begin: Json = { a: ['x'] }): Conversation => ({
    state: begin,
    tools: { f: rules },
    goal: {},
  });
  const calls = (count: number): ParsedCall[] => Array.from({ length: count }, () => ({ name: 'f', arguments: {} }));
  const endOf = (conversation: Conversation, made: ParsedCall[]) =>
    here.answerCalls(here.prepareConversation({ conversation }, tools), here.beginConversation(conversation), made);

  test('a rule that doubles the state a hundred times at once is the making of the suite', () => {
    const { end, calls: answered, progress } = endOf(of([doubling(100)]), calls(1));
    expect(end).toEqual({
      bound: { what: 'state', limit: CONVERSATION_BOUNDS.stateBytes },
      bySuite: { tool: 'f', rule: 0, call: 0 },
    });
    expect([answered, progress.state]).toEqual([[], { a: ['x'] }]);
  });
  test('one that doubles it with each call is called too often by the model', () => {
    const { end, progress } = endOf(of([doubling(1)]), calls(100));
    expect(end).toEqual({ bound: { what: 'state', limit: CONVERSATION_BOUNDS.stateBytes } });
    expect(measure(progress.state).bytes).toBeLessThanOrEqual(CONVERSATION_BOUNDS.stateBytes);
    expect(measure(progress.state).depth).toBeLessThanOrEqual(CONVERSATION_BOUNDS.stateDepth);
  });
  test('a thousand calls are answered, and no more', () => {
    const { end, calls: answered } = endOf(of([{}]), calls(1001));
    expect([answered.length, end]).toEqual([1000, { bound: { what: 'calls', limit: 1000 } }]);
  });
  test('answers have a mebibyte together', () => {
    const { end, calls: answered } = endOf(of([{ respond: 'x'.repeat(50_000) }]), calls(100));
    expect([answered.length, end]).toEqual([20, { bound: { what: 'answers', limit: 2 ** 20 } }]);
    expect(endOf(of([{ respond: 'x'.repeat(2 ** 20 + 1) }]), calls(1)).end).toMatchObject({ bySuite: { rule: 0 } });
  });
  test('large arguments that fill the state are the making of the model', () => {
    const rule: ConversationRule = { effects: [{ op: 'add', path: '/b', value: { $argument: '/b' } }] };
    const { end } = endOf(of([rule], {}), [{ name: 'f', arguments: { b: 'x'.repeat(300 * 1024) } }]);
    expect(end).toEqual({ bound: { what: 'state', limit: CONVERSATION_BOUNDS.stateBytes } });
  });
});

test('10 is not found in 100, whatever stands around it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), fc.constantFrom('$', '', '(', '"', 'is '), (wanted, before) => {
      expect(hasNumber(`It is ${before}${wanted}.`, wanted, 0)).toBe(true);
      expect(hasNumber(`It is ${before}${wanted}0.`, wanted, 0)).toBe(wanted === 0);
      expect(hasNumber(`It is ${before}1${wanted}.`, wanted, 0)).toBe(false);
    }),
  );
});
