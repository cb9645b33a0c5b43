import { differenceWords } from './difference-words.js';
import { findDifference } from './find-difference.js';
import type { ArgumentCheck, Evidence, ParsedCall } from './verdict.js';

type Judged = Parameters<typeof findDifference>[0];

const call = (name: string, given: ParsedCall['arguments'] = {}): ParsedCall => ({ name, arguments: given });
const evidence = (of: Partial<Evidence>): Evidence => ({ pairs: [], missing: [], unexpected: [], ...of });
const judged = (of: Partial<Judged>): Judged => ({
  passed: false,
  error_type: 'wrong_argument',
  expected: { tool: 'create_event', params: {} },
  called: [call('create_event')],
  evidence: evidence({}),
  ...of,
});
const wordsOf = (of: Partial<Judged>): string | null => {
  const difference = findDifference(judged(of));
  return difference && differenceWords(difference);
};
const check = (path: string, expected: unknown, actual?: unknown, of: Partial<ArgumentCheck> = {}): ArgumentCheck => ({
  path,
  rule: 'exact',
  verdict: actual === undefined ? 'missing' : 'mismatch',
  expected,
  ...(actual !== undefined && { actual }),
  ...of,
});
const argumentsOf = (...checks: ArgumentCheck[]): string | null =>
  wordsOf({ evidence: evidence({ pairs: [{ called: 0, expected: 0, param_score: 0, arguments: checks }] }) });

describe('what differs', () => {
  it('is the tool that was called, and the one that was expected', () => {
    const wrong = { error_type: 'wrong_tool', evidence: evidence({ missing: [0], unexpected: [0] }) } as const;
    expect(wordsOf({ ...wrong, called: [call('search_files')] })).toBe('create_event → search_files');
    expect(wordsOf({ error_type: 'no_call', called: [], evidence: evidence({ missing: [0] }) })).toBe(
      'create_event → no call',
    );
    expect(
      wordsOf({
        error_type: 'unexpected_call',
        expected: { tool: null, params: null },
        evidence: evidence({ unexpected: [0] }),
      }),
    ).toBe('no call → create_event');
    expect(wordsOf({ ...wrong, expected: { tool: ['a', 'b'], params: null } })).toBe('a or b → create_event');
  });

  it('is the value of an argument', () => {
    expect(argumentsOf(check('/city', 'Rome', 'Rome', { verdict: 'match' }), check('/folder', 'sent', 'inbox'))).toBe(
      'folder: "inbox", not "sent"',
    );
    expect(argumentsOf(check('/folder', 'sent'))).toBe('folder: missing, expected "sent"');
    expect(argumentsOf(check('/a~1b', 1, 2), check('/c', true, false))).toBe('a/b: 2, not 1, and 1 more');
  });

  it('is named as deep as one place alone differs', () => {
    const filter = { status: 'open', by: ['me', 'you'] };
    expect(argumentsOf(check('/filter', filter, { ...filter, by: ['me', 'them'] }))).toBe(
      'filter.by[1]: "them", not "you"',
    );
    expect(argumentsOf(check('/filter', filter, { status: 'shut', by: [] }))).toBe(
      'filter: {status: "shut", by: []}, not {status: "open", by: ["me", "you"]}',
    );
  });

  it('has the words of a matcher', () => {
    const matched = (expected: unknown): string | null => argumentsOf(check('/v', expected, 'x', { rule: '$any' }));
    expect(matched({ $contains: 'lease' })).toBe('v: "x", expected contains "lease"');
    expect(matched({ $one_of: ['a', 2] })).toBe('v: "x", expected one of "a", 2');
    expect(matched({ $regex: '^\\d+$' })).toBe('v: "x", expected matches ^\\d+$');
    expect(matched({ $approx: 3, $epsilon: 0.1 })).toBe('v: "x", expected 3 within 0.1');
    expect(matched({ $absent: true })).toBe('v: "x", expected left out');
    expect(argumentsOf(check('/v', 'lease', 'x', { rule: 'contains' }))).toBe('v: "x", expected contains "lease"');
  });

  it('is a call too many, one that a chain never makes, or arguments that cannot be read', () => {
    expect(wordsOf({ error_type: 'extra_call', evidence: evidence({ unexpected: [0] }) })).toBe('also create_event');
    const chain = { completion: 0, efficiency: 1, redundancy: 0, detour: 0, hops: 1 };
    expect(wordsOf({ error_type: 'round_limit', evidence: evidence({ missing: [0], unexpected: [0], chain }) })).toBe(
      'create_event not called',
    );
    expect(wordsOf({ error_type: 'malformed_arguments', called: [{ name: 'f', arguments: null, raw: '{' }] })).toBe(
      'f: unreadable arguments',
    );
  });

  it('is nothing where a reply passed, or where its error says everything', () => {
    expect(wordsOf({ passed: true, evidence: evidence({ missing: [0] }) })).toBeNull();
    for (const error_type of ['refused', 'cut_off', 'oversized_reply'] as const)
      expect(wordsOf({ error_type, called: [], evidence: evidence({ missing: [0] }) })).toBeNull();
    expect(wordsOf({ error_type: 'errored', evidence: null })).toBeNull();
    // Evidence of an earlier release.
    expect(wordsOf({ evidence: { pairs: [{ expected: 0, called: 0 }] } as never })).toBeNull();
  });

  it('is short, however long the values are, and shows the part that differs', () => {
    const text = 'a long text '.repeat(1000);
    expect(argumentsOf(check('/body', `${text}sent, and more`, `${text}inbox, and more`))).toMatch(
      /^body: "….{40,60}inbox, and more", not "….{40,60}sent, and more"$/,
    );
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key ${n}`, [[[[n]]], 'x'.repeat(500)]]));
    expect(argumentsOf(check('/v', wide, 'x'))!.length).toBeLessThan(1000);
    expect(argumentsOf(check(`/${'k'.repeat(5000)}`, 1, 2))!.length).toBeLessThan(250);
  });
});
