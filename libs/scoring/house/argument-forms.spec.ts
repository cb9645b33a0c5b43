import fc from '../../../test/fast-check.js';
import type { CaseInput } from '#lib/contracts/case';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import type { Verdict } from '#lib/contracts/verdict';
import { checkCase } from '../checks/check-case.js';
import { findUnsatisfiableArguments } from '../checks/unsatisfiable-arguments.js';
import { mockTools } from '../cases/mock-tools.js';
import { parseReply } from '../replies/parse-reply.js';
import { explain } from './explain.js';
import { prepareCase } from './score-case.js';

const toolWith = (more: object): Tool => ({ type: 'function', function: { name: 'f', ...more } });
const plain = toolWith({});

interface Scored {
  verdict: Verdict;
  explained: string;
}
function score(expected: JsonObject, actual: JsonObject, more: Partial<CaseInput> = {}, tool = plain): Scored {
  const input: CaseInput = { prompt: 'p', expected_tool: 'f', expected_params: expected, ...more };
  expect(checkCase(input, [tool])).toEqual([]);
  const message = { tool_calls: [{ function: { name: 'f', arguments: JSON.stringify(actual) } }] };
  const verdict = prepareCase(input, [tool], 1).score(parseReply(message, [tool]));
  return { verdict, explained: explain(verdict, input).join(' ') };
}
const check = (...args: Parameters<typeof score>) => score(...args).verdict.evidence.pairs[0]!.arguments[0]!;
const compare = (expected: Json, actual: Json, mode: CaseInput['param_scoring'] = 'exact') =>
  check({ v: expected }, { v: actual }, { param_scoring: mode });

describe('two forms of a text', () => {
  const UNICODE = 'Equal up to Unicode form.';
  const BLANKS = 'Equal up to the kind of blanks.';
  it.each<[Json, Json, string | undefined]>([
    ['São Paulo', 'São Paulo'.normalize('NFD'), UNICODE],
    ['SÃO', 'são'.normalize('NFD'), UNICODE],
    ['ᾂ', 'ᾂ'.normalize('NFD'), UNICODE],
    ['가', '가'.normalize('NFD'), UNICODE],
    ['5 km', '5\u00a0km', BLANKS],
    ['5 km', '5\u3000km', BLANKS],
    ['a\nb', 'A\r\nB', BLANKS],
    ['é km', 'e\u0301\u2009km', 'Equal up to Unicode form and the kind of blanks.'],
    [['a b', 'é'], ['a\u00a0b', 'e\u0301'], 'Equal up to Unicode form and the kind of blanks.'],
    [{ $one_of: ['x', 'é'] }, 'e\u0301', UNICODE],
    ['São Paulo', 'SÃO PAULO', undefined],
  ])('are equal, and the evidence says when it mattered: %j, %j', (expected, actual, note) => {
    const found = compare(expected, actual);
    expect(found.verdict).toBe('match');
    expect(found.note).toBe(note);
  });

  it.each<[Json, Json]>([
    ['ﬁ', 'fi'],
    ['m²', 'm2'],
    ['5 km', '5  km'],
    ['5 km', '5\u00a0 km'],
    ['5 km', '5\tkm'],
    ['km', 'km\u200b'],
    ['km', '\ufeffkm'],
    ['km', 'k\u2060m'],
    ['a b', 'a\u2028b'],
    ['a b', 'a\nb'],
    ['café', 'cafe'],
    [{ é: 1 }, { ['e\u0301']: 1 }],
  ])('differ when more than the form differs: %j, %j', (expected, actual) => {
    expect(compare(expected, actual)).toMatchObject({ verdict: 'mismatch' });
  });

  it('are equal under every mode that compares texts but not under patterns', () => {
    const note = expect.stringContaining('Unicode form') as string;
    for (const mode of ['exact', 'case_insensitive', 'contains', 'numeric_tolerance', 'fuzzy', 'semantic'] as const)
      expect(compare('Zoë', 'Zoe\u0308', mode)).toMatchObject({ verdict: 'match', note });
    expect(compare('Zoë', 'Dr. Zoe\u0308', 'contains')).toMatchObject({ verdict: 'match', note });
    expect(compare({ $contains: 'Zoë' }, 'Dr. Zoe\u0308')).toMatchObject({ verdict: 'match', note });
    expect(compare('Zoë', 'Zoe\u0308', 'regex').verdict).toBe('mismatch');
  });

  it('are as similar as texts in the same form', () => {
    const [one, other] = ['Ünïvërsïtÿ', 'Ünïvërsïtät'];
    const { similarity } = compare(one, other, 'fuzzy');
    expect(compare(one.normalize('NFD'), other, 'fuzzy').similarity).toBe(similarity);
  });

  it('never decide a verdict', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'É', 'ß', 'İ', 'Σ', '각', 'ᾂ', ' ', '\u0323', '\u0301', '1') });
    const form = fc.constantFrom('NFC', 'NFD');
    const blank = fc.constantFrom(' ', '\u00a0', '\u2003', '\u3000');
    const mode = fc.constantFrom('exact', 'contains', 'fuzzy');
    fc.assert(
      fc.property(text, text, form, form, blank, mode, (a, b, formOfA, formOfB, space, how) => {
        const rewritten = compare(a.normalize(formOfA), b.normalize(formOfB).replaceAll(' ', space), how as 'exact');
        expect(rewritten.verdict).toBe(compare(a.normalize('NFC'), b.normalize('NFC'), how as 'exact').verdict);
      }),
    );
  });

  it('are compared in linear time however many marks a letter has', () => {
    const marks = (count: number): string => `a${'\u0301\u0323'.repeat(count)}`;
    expect(compare(marks(200_000), `${marks(200_000)}b`).verdict).toBe('mismatch');
    expect(compare(marks(10), `a${'\u0323'.repeat(10)}${'\u0301'.repeat(10)}`).verdict).toBe('match');
  });

  it('fit the same schema', () => {
    const tool = toolWith({ parameters: { type: 'object', properties: { v: { enum: ['Zoë'] } } } });
    const expecting = (v: string): CaseInput => ({ prompt: 'p', expected_tool: 'f', expected_params: { v } });
    expect(findUnsatisfiableArguments(expecting('Zoe\u0308'), [tool])).toEqual([]);
    expect(findUnsatisfiableArguments(expecting('Zoe'), [tool])).toHaveLength(1);
    const short = toolWith({ parameters: { type: 'object', properties: { v: { type: 'string', maxLength: 3 } } } });
    expect(findUnsatisfiableArguments(expecting('Zoe\u0308'), [short])).toEqual([]);
  });
});

describe('texts that look the same are distinguished by their code points', () => {
  it.each<[JsonObject, JsonObject, string]>([
    [{ city: 'Paris' }, { city: 'P\u0430ris' }, 'character 2 is U+0430, expected U+0061.'],
    [{ city: 'Paris' }, { city: 'Paris\u200b' }, 'character 6 is U+200B, expected missing.'],
    [{ at: { $optional: ['x', { a: 'e-mail' }] } }, { at: ['x', { a: 'e\u2011mail' }] }, 'character 2 is U+2011'],
    [{ city: { $one_of: ['Rome', 'Paris'] } }, { city: 'P\u0430ris' }, 'character 2 is U+0430, expected U+0061.'],
    [{ q: { $literal: { $eq: 'm²' } } }, { q: { $eq: 'm2' } }, 'character 2 is U+0032, expected U+00B2.'],
  ])('%j, %j', (expected, actual, sentence) => {
    expect(score(expected, actual).explained).toContain(`The texts look the same, but differ: ${sentence}`);
  });
  it('and others are not', () => {
    expect(score({ city: 'Paris' }, { city: 'Rome' }).explained).not.toContain('look the same');
    expect(score({ city: { a: 'Paris' } }, { city: { a: 'Paris', b: 1 } }).explained).not.toContain('look the same');
  });
});

describe('a literal', () => {
  it.each<[JsonObject, JsonObject]>([
    [{ v: { $literal: { $regex: 'x' } } }, { v: { $regex: 'x' } }],
    [{ v: { $literal: '$5' } }, { v: '$5' }],
    [
      { v: { $literal: { $and: [{ $literal: 1 }, { $absent: true }] } } },
      { v: { $and: [{ $literal: 1 }, { $absent: true }] } },
    ],
    [{ v: [{ a: { $literal: { $any: true } }, b: { $regex: '^x' } }] }, { v: [{ a: { $any: true }, b: 'xy' }] }],
    [{ v: { $literal: null } }, { v: null }],
  ])('matches exactly its value: %j, %j', (expected, actual) => {
    expect(check(expected, actual)).toMatchObject({ verdict: 'match' });
    expect(check(expected, { v: { other: 1 } })).toMatchObject({ verdict: 'mismatch' });
  });

  it('is compared in the mode of its argument, and a difference has its path', () => {
    const config = { scoring_config: { mode: 'numeric_tolerance' as const } };
    expect(check({ v: { $literal: { $gt: 1 } } }, { v: { $gt: 1.005 } }, config).verdict).toBe('match');
    expect(check({ v: { $literal: { $gt: [1, 2] } } }, { v: { $gt: [1, 3] } })).toMatchObject({
      verdict: 'mismatch',
      path: '/v/$gt/1',
      rule: '$literal',
    });
  });

  it('may hold any JSON', () => {
    const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
    const dollars = fc.dictionary(fc.constantFrom('$any', '$regex', '$x', 'y'), value, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.oneof(value, dollars as fc.Arbitrary<Json>), (one) => {
        expect(compare({ $literal: one }, one)).toMatchObject({ verdict: 'match' });
        expect(compare({ $literal: one }, [one])).toMatchObject({ verdict: 'mismatch' });
      }),
    );
  });

  it('makes a refused case valid', () => {
    const errors = (v: Json, mode?: CaseInput['param_scoring']) =>
      checkCase({ prompt: 'p', expected_tool: 'f', expected_params: { v }, param_scoring: mode }, [plain]);
    expect(errors({ $gt: 1 })).toMatchObject([{ path: '/expected_params/v/$gt', message: /\{"\$literal": \.\.\.\}/ }]);
    expect(errors({ $literal: { $gt: 1 }, more: 1 })).toMatchObject([{ path: '/expected_params/v/more' }]);
    expect(errors({ $literal: { $gt: '(' } })).toEqual([]);
    expect(errors({ $literal: { $gt: '(' } }, 'regex')).toMatchObject([{ path: '/expected_params/v/$literal/$gt' }]);
  });

  it('may be the condition of a mock', () => {
    const mocks = { f: [{ when: { q: { $literal: { $gt: 1 } } }, respond: 'found' }] };
    const answer = mockTools({ prompt: 'p', mock_responses: mocks });
    expect(answer({ name: 'f', arguments: { q: { $gt: 1 } } })).toBe('found');
    expect(answer({ name: 'f', arguments: { q: 1 } })).toBe('{"status":"ok"}');
  });

  it('is checked against the schema of its tool', () => {
    const properties = { v: { type: 'object', properties: { $gt: { type: 'integer' } } } };
    const tool = toolWith({ parameters: { type: 'object', properties } });
    const found = (v: Json) =>
      findUnsatisfiableArguments({ prompt: 'p', expected_tool: 'f', expected_params: { v } }, [tool]);
    expect(found({ $literal: { $gt: 1 } })).toEqual([]);
    expect(found({ $literal: { $gt: 'x' } })).toMatchObject([{ path: '/expected_params/v/$gt' }]);
    expect(found({ $literal: { $lt: 1 } })).toMatchObject([{ path: '/expected_params/v/$lt' }]);
  });
});

describe('a null under a strict schema', () => {
  const properties = {
    a: { type: ['string', 'null'], default: 'd' },
    b: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'null' }] },
    c: { $ref: '#/$defs/C' },
    d: { enum: ['x', null] },
    open: { type: ['string', 'null'] },
    plain: { type: 'string' },
  };
  const parameters = {
    type: 'object',
    properties,
    required: ['a', 'b', 'c', 'd', 'plain'],
    $defs: { B: { type: 'object' }, C: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
  };
  const nullable = toolWith({ parameters });
  const strict = toolWith({ parameters, strict: true });
  const NOTE = 'Under the schema of the tool, null counts as left out.';

  it.each(['b', 'c', 'd'])('counts as left out for a required argument whose schema allows it: %s', (key) => {
    expect(check({ [key]: { $absent: true } }, { [key]: null }, {}, nullable)).toMatchObject({
      verdict: 'match',
      note: NOTE,
    });
    expect(check({ [key]: { $optional: 'x' } }, { [key]: null }, {}, nullable)).toMatchObject({ verdict: 'skipped' });
    const { verdict, explained } = score({ [key]: 'x' }, { [key]: null }, {}, nullable);
    expect(verdict.error_type).toBe('missing_argument');
    expect(explained).toContain(`The argument ${key} is null, which counts as left out (expected "x").`);
    expect(score({}, { [key]: null, more: null }, {}, nullable).verdict.evidence.extra_arguments).toEqual(['/0/more']);
  });

  it.each(['open', 'plain', 'unknown'])('is a value where the schema does not allow it: %s', (key) => {
    expect(check({ [key]: { $absent: true } }, { [key]: null }, {}, nullable).verdict).toBe('mismatch');
    expect(score({ [key]: 'x' }, { [key]: null }, {}, nullable).verdict.error_type).toBe('wrong_argument');
    expect(check({ [key]: null }, { [key]: null }, {}, nullable)).toMatchObject({ verdict: 'match' });
    expect(check({ [key]: null }, {}, {}, nullable).verdict).toBe('missing');
    expect(check({ [key]: { $absent: true } }, { [key]: null }, {}, strict).verdict).toBe('match');
  });

  it('becomes the declared default, unless defaults are strict', () => {
    const given = { a: null };
    expect(check({ a: 'd' }, given, {}, nullable)).toMatchObject({
      verdict: 'match',
      actual: 'd',
      default_applied: true,
      note: NOTE,
    });
    expect(check({ a: 'd' }, given, { scoring_config: { defaults: 'strict' } }, nullable).verdict).toBe('missing');
    expect(check({ a: null }, given, {}, nullable).verdict).toBe('match');
    expect(check({ a: null }, {}, {}, nullable).verdict).toBe('mismatch');
  });

  it('matches an expected null, sent or left out', () => {
    for (const wanted of [null, { $literal: null }, { $one_of: ['x', null] }] as Json[]) {
      expect(check({ b: wanted }, { b: null }, {}, nullable).verdict).toBe('match');
      expect(check({ b: wanted }, {}, {}, nullable)).toMatchObject({
        verdict: 'match',
        note: expect.any(String) as string,
      });
    }
    expect(check({ b: { $any: true } }, { b: null }, {}, nullable).verdict).toBe('missing');
  });

  it('counts as a missing key of an object where the tool is strict', () => {
    const [expected, given] = [{ b: { x: 1, y: { $optional: 2 } } }, { b: { x: 1, y: null, z: null } }];
    expect(check(expected, given, {}, strict)).toMatchObject({ verdict: 'match', note: NOTE });
    expect(check(expected, given, {}, nullable).verdict).toBe('mismatch');
    expect(check({ b: { x: 1 } }, { b: { x: null } }, {}, strict)).toMatchObject({ verdict: 'mismatch', path: '/b/x' });
    expect(check({ b: { x: null } }, { b: {} }, {}, strict).verdict).toBe('match');
  });

  it('may be expected to be absent though it is required', () => {
    const absent = (key: string) =>
      findUnsatisfiableArguments({ prompt: 'p', expected_tool: 'f', expected_params: { [key]: { $absent: true } } }, [
        nullable,
      ]);
    expect(absent('b')).toEqual([]);
    expect(absent('plain')).toHaveLength(1);
  });
});

describe('dates and times', () => {
  it('that cannot be compared explain why', () => {
    const at = '2026-03-01T10:00:00Z';
    expect(compare(at, '2026-03-01T10:00', 'datetime')).toMatchObject({
      verdict: 'mismatch',
      note: 'The value is a time without an offset, the expected one is a time with an offset.',
    });
    expect(compare(at, '2026-02-30T10:00Z', 'datetime')).toMatchObject({
      verdict: 'mismatch',
      note: 'The value is not a date or time in ISO 8601.',
    });
    expect(compare(at, '2026-03-01T10:01Z', 'datetime').note).toBeUndefined();
    expect(compare(at, 1772359200, 'datetime').verdict).toBe('mismatch');
    expect(score({ v: at }, { v: 'now' }, { param_scoring: 'datetime' }).explained).toContain('not a date or time');
  });

  it.each<[Json, string[]]>([
    ['2026-03-01', []],
    ['March 1', ['/v']],
    ['2026-02-30', ['/v']],
    [['2026-03-01', 'x'], ['/v/1']],
    [{ $one_of: ['2026-03-01', 'x'] }, ['/v/$one_of/1']],
    [{ $optional: { $regex: '^March' } }, []],
    [{ $literal: { $gt: '2026-02-30' } }, ['/v/$literal/$gt']],
    [{ title: 'Lunch', start: '2026-02-30T12:00Z' }, ['/v/start']],
    [5, []],
  ])('are required in a case of that mode: %j', (v, paths) => {
    const input: CaseInput = { prompt: 'p', expected_tool: 'f', expected_params: { v }, param_scoring: 'datetime' };
    const errors = checkCase(input, [plain]);
    expect(errors.map(({ path }) => path)).toEqual(paths.map((path) => `/expected_params${path}`));
    for (const { message } of errors) expect(message).toMatch(/scoring_config\.params/);
  });

  it('fit a schema with another notation', () => {
    const pattern = { type: 'string', pattern: 'Z$', maxLength: 20 };
    const tool = toolWith({ parameters: { type: 'object', properties: { v: pattern } } });
    const input = { prompt: 'p', expected_tool: 'f', expected_params: { v: '2026-03-01T11:00:00.000+01:00' } };
    expect(findUnsatisfiableArguments({ ...input, param_scoring: 'datetime' }, [tool])).toEqual([]);
    expect(findUnsatisfiableArguments(input, [tool])).toHaveLength(1);
  });
});
