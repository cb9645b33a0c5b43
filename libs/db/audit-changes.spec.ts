import fc from '../../test/fast-check.js';
import { sha256 } from '#lib/runtime/seal';
import { changesBetween, MAX_CHANGES_BYTES, MAX_VALUE_BYTES } from './audit-changes.js';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const digestOf = (text: string) =>
  `sha256:${sha256(text).slice(0, 12)} (${text.length.toLocaleString('en')} characters)`;

const at = new Date('2026-11-29T10:00:00Z');

describe('what an audit entry says of a change', () => {
  it('is the fields that differ, objects field by field', () => {
    const before = { name: 'a', prices: { input: 1, output: 2 }, limits: null, models: ['x'], at };
    const after = {
      name: 'a',
      prices: { input: 3, output: 2 },
      limits: { most: 4 },
      models: ['x', 'y'],
      at: new Date(at),
    };
    expect(changesBetween({ before, after })).toEqual([
      { field: 'prices.input', before: 1, after: 3 },
      { field: 'models', before: ['x'], after: ['x', 'y'] },
      { field: 'limits.most', before: null, after: 4 },
    ]);
    expect(changesBetween({ after: { name: 'a', role: null, empty: {} } })).toEqual([
      { field: 'name', before: null, after: 'a' },
      { field: 'empty', before: null, after: {} },
    ]);
    expect(changesBetween({ before: { name: 'a' } })).toEqual([{ field: 'name', before: 'a', after: null }]);
    expect(changesBetween({ before: { prices: { input: 1 } }, after: { prices: 'none' } })).toEqual([
      { field: 'prices', before: { input: 1 }, after: 'none' },
    ]);
  });

  it('has digests of what people wrote, and only says that a secret changed', () => {
    const prompt = 'You are a helpful assistant. '.repeat(50);
    expect(
      changesBetween({
        before: {
          api_key: 'sk-1',
          provider_key: 'sim',
          prompt_version_id: 'a',
          headers: { 'x-team': 'a' },
          system_prompt: prompt,
          components: { tools: 'same', system: 'old' },
          cases: 3,
          params: { temperature: 1 },
          base_url: 'https://me:word@host/v1?key=abc',
        },
        after: {
          api_key: 'sk-2',
          provider_key: 'sim2',
          prompt_version_id: 'b',
          headers: { 'x-team': 'b' },
          system_prompt: null,
          components: { tools: 'same', system: 'new' },
          cases: 4,
          params: { temperature: 0.5, stop: prompt },
          base_url: 'https://host/v2',
          models: [{ id: 'm', 'X-Api-Key': 'sk-3', messages: ['hello'] }],
        },
      }),
    ).toEqual([
      { field: 'api_key', before: '(secret)', after: '(secret)' },
      { field: 'provider_key', before: 'sim', after: 'sim2' },
      { field: 'prompt_version_id', before: 'a', after: 'b' },
      { field: 'headers', before: '(secret)', after: '(secret)' },
      { field: 'system_prompt', before: digestOf(prompt), after: null },
      { field: 'components.system', before: digestOf('old'), after: digestOf('new') },
      { field: 'cases', before: 3, after: 4 },
      { field: 'params.temperature', before: 1, after: 0.5 },
      { field: 'base_url', before: 'https://(secret)@host/v1?(secret)', after: 'https://host/v2' },
      { field: 'params.stop', before: null, after: digestOf(prompt) },
      {
        field: 'models',
        before: null,
        after: [{ id: 'm', 'X-Api-Key': '(secret)', messages: digestOf('["hello"]') }],
      },
    ]);
  });

  it('never quotes a secret or a prompt, wherever it is, and stays small', () => {
    const names = fc.constantFrom('name', 'prices', 'params', 'models', 'limits', '__proto__', 'a.b');
    const hiding = fc.constantFrom(
      ...['api_key', 'apiKey', 'X-API-Key', 'token', 'refresh_token', 'headers', 'client_secret', 'Password'],
      ...['key', 'auth', 'jwt', 'pwd', 'pass', 'ssh_key', 'signing-keys', 'headers_json', 'Default-Headers'],
      ...['prompt_text', 'userPromptPrefix', 'few_shot', 'fewShotExamples'],
      ...['Authorization', 'cookie', 'system_prompt', 'prompt', 'messages', 'tools', 'test_cases', 'note', 'text'],
    );
    const hidden = fc.oneof(
      fc.constant('#hidden#'),
      fc.string().map((text) => `#hidden#${text}`),
      fc.array(fc.constant('#hidden#')),
      fc.record({ name: fc.constant('#hidden#'), value: fc.constant({ deep: ['#hidden#'] }) }),
    );
    const plain = fc.oneof(
      { depthSize: 'small' },
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constantFrom(null, undefined, true, '\u0000'.repeat(2000), '"'.repeat(2000), '🙂'.repeat(900), at),
      fc.constantFrom(
        ...['https://me:#hidden#@host/v1?key=#hidden#', '//me:#hidden#@host', 'see //#hidden#@host/v1//me:#hidden#@b'],
        ...['https://host/v1#access_token=#hidden#', 'postgres://host/db?a=1#?#hidden#'],
      ),
    );
    const { state } = fc.letrec<{ state: Record<string, unknown>; value: unknown }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, plain, tie('state'), fc.array(tie('value'), { maxLength: 3 })),
      state: fc
        .tuple(fc.dictionary(names, tie('value')), fc.dictionary(hiding, hidden, { maxKeys: 2 }))
        .map(([seen, unseen]) => ({ ...seen, ...unseen })),
    }));
    const states = fc.option(state, { nil: undefined });
    fc.assert(
      fc.property(states, states, (before, after) => {
        const changes = changesBetween({ before, after });
        expect(JSON.stringify(changes)).not.toContain('#hidden#');
        expect(bytesOf(changes)).toBeLessThanOrEqual(MAX_CHANGES_BYTES);
        for (const change of changes) {
          expect(bytesOf(change.before)).toBeLessThanOrEqual(MAX_VALUE_BYTES);
          expect(bytesOf(change.after)).toBeLessThanOrEqual(MAX_VALUE_BYTES);
        }
        expect(changesBetween({ before: after, after })).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('counts the fields that it has no room for', () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`field ${n} ${'é'.repeat(300)}`, n]));
    const changes = changesBetween({ after: many });
    expect(bytesOf(changes)).toBeLessThanOrEqual(MAX_CHANGES_BYTES);
    expect(changes.at(-1)?.field).toBe(`(${(2001 - changes.length).toLocaleString('en')} more fields)`);
  });
});
