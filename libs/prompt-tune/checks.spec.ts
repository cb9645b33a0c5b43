import fc from '../../test/fast-check.js';
import { findFault, indexLeaks, type LeakSource, type ProposedText } from './checks.js';

const NONE = { leaks: indexLeaks([], []), maxGrowth: 2 };
const faultOf = (proposed: Partial<ProposedText>, against = NONE) =>
  findFault({ component: 'system_prompt', text: 'Call one tool.', base: '', ...proposed }, against);
const reasonOf = (text: string, base = ''): string | undefined => faultOf({ text, base })?.reason;

describe('a text that a meta model wrote', () => {
  it('passes when it says how to use tools', () => {
    const text =
      'You call tools for a travel agency.\n\n- Here is when to use a tool: whenever a date is given.\n' +
      '- Update the current description of a trip with `edit_trip`; reply to the original message with `reply`.\n' +
      '```json\n{"city": "…"}\n```\nIf the user says "I changed my mind", cancel. Say "here is your new booking".';
    expect(faultOf({ text })).toBeUndefined();
  });

  it('must not be empty or invisible', () => {
    expect(['', ' \n\t', '\u200b\ufeff'].map((text) => reasonOf(text, 'Be brief.'))).toEqual(Array(3).fill('empty'));
  });

  it('may stay unchanged, whatever it is', () => {
    const base = 'Sure, book a quiet table for two at nine. ```\n';
    const against = { ...NONE, leaks: indexLeaks([{ prompt: base, expected: ['table'] }], []) };
    expect(faultOf({ text: base, base }, against)).toBeUndefined();
    expect(faultOf({ text: '', base: '' })).toBeUndefined();
    expect(faultOf({ component: 'tools/a/description', text: 'x'.repeat(5000), base: 'x'.repeat(5000) })).toBe(
      undefined,
    );
  });

  it('may have 800 characters more than its base, or twice its length', () => {
    expect(reasonOf('x'.repeat(800))).toBeUndefined();
    expect(faultOf({ text: 'x'.repeat(801) })).toEqual({
      reason: 'too_long',
      text: 'It has 801 characters; with a base of 0, the maximum is 800.',
    });
    expect(reasonOf('x'.repeat(2000), 'y'.repeat(1000))).toBeUndefined();
    expect(reasonOf('x'.repeat(2001), 'y'.repeat(1000))).toBe('too_long');
    expect(faultOf({ text: 'x'.repeat(1801), base: 'y'.repeat(1000) }, { ...NONE, maxGrowth: 1 })?.reason).toBe(
      'too_long',
    );
  });

  it.each(['tools/find/description', 'tools/find/parameters/properties/city/description'])(
    'may have 1,024 characters as %s',
    (component) => {
      const base = 'y'.repeat(900);
      expect(faultOf({ component, base, text: 'x'.repeat(1024) })).toBeUndefined();
      expect(faultOf({ component, base, text: 'x'.repeat(1025) })).toEqual({
        reason: 'too_long',
        text: 'It has 1025 characters; the maximum for the description of a tool or parameter is 1024.',
      });
    },
  );

  it('closes the code fences that it opens', () => {
    expect(reasonOf('Like this:\n```json\n{}\n```\nDone.')).toBeUndefined();
    expect(reasonOf('Like this:\n  ```json\n{}\nDone.')).toBe('unclosed_fence');
    expect(reasonOf('```\nall of it')).toBe('unclosed_fence');
    expect(reasonOf('Use ```one``` and\n```two``` here')).toBeUndefined();
    expect(reasonOf('```\nas before, and more', '```\nas before')).toBeUndefined();
  });

  it.each([
    'Here is the improved prompt:\n\nCall tools.',
    "Here's a revised version of the description: Finds cities.",
    'Sure, call tools.',
    'Sure! Call tools.',
    '**Improved system prompt:** Call tools.',
    'Call tools. I have rewritten this to be clearer.',
    'Call tools. I’ve updated the prompt so that dates are read.',
    'Unlike in the failing cases above, call tools.',
    'Call tools. The examples show otherwise, as the failures above do.',
    'Keep what the current text says, and call tools.',
    'Call tools. This prompt addresses dates.',
    'Call tools. Let me know if you want it shorter.',
  ])('addresses the model that calls tools, unlike: %s', (text) => {
    expect(reasonOf(text)).toBe('addresses_meta');
  });

  it('may use the phrases of its base', () => {
    const base = 'Returns the current text of the editor.';
    expect(reasonOf(`${base} Call it first.`, base)).toBeUndefined();
    expect(reasonOf(`${base} Let me know if that helps.`, base)).toBe('addresses_meta');
  });

  it('keeps the placeholders of its base', () => {
    const kept = ['{{ date }}', `\${user}`, '{city}', '<DOCS URL>'];
    const base = `Today is ${kept.join(', ')}. <b>Call</b> {"city": "x"} {}.`;
    expect(reasonOf(kept.join(' ').replace('{{ date }}', '{{date}}'), base)).toBeUndefined();
    for (const lost of kept)
      expect(faultOf({ text: base.replace(lost, ''), base })).toEqual({
        reason: 'placeholder',
        text: `The placeholder ${lost.replace(/\s/g, '')} is lost.`,
      });
    expect(reasonOf('No {more} than {{these}}.', 'None.')).toBeUndefined();
  });

  it('contains neither words nor values of a case', () => {
    const cases: LeakSource[] = [
      { prompt: 'Book a table for two at eight', expected: ['Chez Panisse'] },
      { prompt: 'Is it raining in the old town?', expected: [] },
    ];
    const against = { ...NONE, leaks: indexLeaks(cases, []) };
    expect(faultOf({ text: 'E.g. "book a table for two".' }, against)).toBeUndefined();
    expect(faultOf({ text: 'Is it raining in the old days?' }, against)).toEqual({
      reason: 'leak',
      text: 'It repeats words of a case: "is it raining in the old".',
    });
    expect(faultOf({ text: 'As at chez panisse.' }, against)).toEqual({
      reason: 'leak',
      text: 'It contains an expected value of a case: "chez panisse".',
    });
  });

  it('is checked quickly, however hostile it is', () => {
    const parts = [
      '{',
      '{{',
      '${a',
      '<A',
      '`',
      '```\n',
      ' ',
      '\n',
      'here is the ',
      'i have ',
      'the current ',
      '{{ a',
      'á\u0301',
    ];
    const [base, ...texts] = [...parts, ...parts.map((part) => `${part}{x}`)].map((part) =>
      part.repeat(50_000).slice(0, 50_000),
    );
    for (const text of texts) {
      findFault({ component: 'system_prompt', text, base: base! }, NONE);
      findFault({ component: 'system_prompt', text: base!, base: text }, NONE);
    }
  });

  it('is never rejected because of a longer base, and a rejection is a sentence of moderate length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), fc.string({ maxLength: 2000 }), (text, base) => {
        const fault = faultOf({ text, base });
        if (fault) expect(fault.text.length).toBeLessThan(300);
        if (fault?.reason !== 'too_long') expect(reasonOf(text, base.padEnd(5000, '.'))).not.toBe('too_long');
      }),
    );
  });
});
