import { CaseInput } from '#lib/contracts/case';
import fc from '../../test/fast-check.js';
import { expectedStrings, indexLeaks, promptOf, type LeakSource } from './checks.js';
import { HashSample } from './hash-sample.js';

const ASKED = 'Please book a quiet table for two at the harbour tonight';
const asked = (prompt: string, ...expected: string[]): LeakSource => ({ prompt, expected });
const leakOf = (text: string, cases: LeakSource[], ...known: string[]) => indexLeaks(cases, known).find(text);

describe('a run of words that a case has', () => {
  it('is a leak from six words on', () => {
    expect(leakOf('When users want a quiet table for two at sea, ask.', [asked(ASKED)])).toEqual({
      what: 'run',
      text: 'a quiet table for two at',
    });
    expect(leakOf('When users want a quiet table for two, ask.', [asked(ASKED)])).toBeUndefined();
  });

  it('is a leak in any case of the suite, at its beginning and at its end', () => {
    const cases = [
      ...Array.from({ length: 500 }, (_, n) => asked(`How is the weather in town ${n} now`)),
      asked(ASKED),
    ];
    const index = indexLeaks(cases, []);
    expect(index.find('please book a quiet table for')?.what).toBe('run');
    expect(index.find('Say: two at the harbour tonight')).toBeUndefined();
    expect(index.find('Say: for two at the harbour tonight')?.what).toBe('run');
    expect(index.find('weather in town 499 now and then')).toBeUndefined();
    expect(index.find('is the weather in town 499')?.what).toBe('run');
  });

  it.each([
    ['in capitals', 'A QUIET TABLE FOR TWO AT'],
    ['with other punctuation', '“a quiet-table”, **for** two\n\n- at'],
    ['in full-width letters', 'ａ　ｑｕｉｅｔ　ｔａｂｌｅ　ｆｏｒ　ｔｗｏ　ａｔ'],
    ['with invisible characters', 'a qu\u200biet ta\u00adble for\ufeff two at'],
  ])('is one %s', (_how, text) => expect(leakOf(text, [asked(ASKED)])?.what).toBe('run'));

  it('is not a leak when the base or a tool has it, but a longer run is', () => {
    const base = 'Guests may book a quiet table for two.';
    const index = indexLeaks([asked(ASKED)], [base]);
    expect(index.find(`${base} Be brief.`)).toBeUndefined();
    expect(index.find('Guests may book a quiet table for two at noon.')?.text).toBe('a quiet table for two at');
  });

  it('is found whatever its apostrophes', () => {
    expect(leakOf('Its the day I dont work', [asked("Since it's the day I don't work")])?.what).toBe('run');
  });
});

describe('in scripts without spaces', () => {
  const chinese = '请帮我预订今天晚上七点的两人餐桌';
  const thai = 'ช่วยจองโต๊ะสำหรับสองคนคืนนี้ที่ร้านอาหารริมแม่น้ำหน่อยครับ';

  it('a run is 12 characters of Chinese or Japanese, wherever it starts', () => {
    expect(leakOf(`如果用户说：${chinese.slice(3, 15)}。`, [asked(chinese)])?.what).toBe('run');
    expect(leakOf(`如果用户说：${chinese.slice(3, 14)}。`, [asked(chinese)])).toBeUndefined();
  });

  it('a run is 24 letters of Thai', () => {
    expect(leakOf(thai.slice(5, 60), [asked(thai)])?.what).toBe('run');
    expect(leakOf(thai.slice(5, 25), [asked(thai)])).toBeUndefined();
  });

  it('words between characters count as part of the run', () => {
    expect(leakOf('预订 Hotel Ritz Paris 今晚七点', [asked('请预订 Hotel Ritz Paris 今晚七点')])?.what).toBe('run');
    expect(leakOf('Hotel Ritz Paris 今晚', [asked('请预订 Hotel Ritz Paris 今晚七点')])).toBeUndefined();
  });

  it('a value is found inside a sentence', () => {
    expect(leakOf('比如用户在北京大学附近', [asked('在哪里', '北京大学')])).toEqual({
      what: 'value',
      text: '北京大学',
    });
  });
});

describe('a value that one case expects', () => {
  it('is a leak, in upper or lower case, as a word of its own', () => {
    const index = indexLeaks([asked('Weather there?', 'Reykjavik')], []);
    expect(index.find('for cities such as REYKJAVIK.')).toEqual({ what: 'value', text: 'reykjavik' });
    expect(index.find('for the Reykjaviks of this world')).toBeUndefined();
  });

  it('is a leak from four characters on, without the marks around it', () => {
    const index = indexLeaks([asked('?', 'Rio', '$100', 'B-42', 'Oslo')], []);
    expect(index.find('Rio costs 100')).toBeUndefined();
    expect(index.find('such as b-42')?.text).toBe('b-42');
    expect(index.find('such as "Oslo"')?.text).toBe('oslo');
  });

  it('is a leak when it has several words, and by its first six words when it has more', () => {
    const long = 'see you at the harbour tonight, and bring a friend';
    const index = indexLeaks([asked('?', 'New York City', long)], []);
    expect(index.find('New York is a state')).toBeUndefined();
    expect(index.find('in new york city')?.text).toBe('new york city');
    expect(index.find('write "see you at the harbour tonight"')?.what).toBe('value');
  });

  it('is not a leak when two cases expect it, or when the base, a tool or an enum has it', () => {
    const cases = [asked('a', 'Tokyo', 'Tokyo', 'celsius'), asked('b', 'TOKYO'), asked('c', 'urgent', 'Lima')];
    const index = indexLeaks(cases, ['Units are metric.', 'celsius', 'Mark urgent mail.']);
    expect(index.find('Tokyo, in celsius, urgent')).toBeUndefined();
    expect(index.find('Lima')?.text).toBe('lima');
    expect(leakOf('Tokyo', [asked('a', 'Tokyo', 'tokyo')])?.what).toBe('value');
  });
});

describe('for any text', () => {
  const word = fc.constantFrom('a', 'be', 'see', 'deal', 'ear', '餐', 'ที่', 'É', 'x9');
  const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '));
  const wordsOf = (written: string): string[] => written.split(' ').filter(Boolean);

  it('exactly copies of six words in a row are found', () => {
    const spaced = fc
      .array(fc.constantFrom('a', 'be', 'see', 'deal', 'ear'), { maxLength: 40 })
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(spaced, spaced, (prompt, proposed) => {
        const runs = (written: string): string[] =>
          wordsOf(written).flatMap((_, n, all) => (n + 6 <= all.length ? [all.slice(n, n + 6).join(' ')] : []));
        const has = new Set(runs(prompt));
        return (leakOf(proposed, [asked(prompt)]) !== undefined) === runs(proposed).some((run) => has.has(run));
      }),
    );
  });

  it('known text is not a leak, and text around a copy does not hide it', () => {
    fc.assert(
      fc.property(text, text, text, (prompt, before, after) => {
        expect(leakOf(prompt, [asked(prompt, prompt)], prompt)).toBeUndefined();
        if (!leakOf(prompt, [asked(prompt)])) return;
        expect(leakOf(`${before} ${prompt} ${after}`, [asked(prompt)])?.what).toBe('run');
      }),
    );
  });

  it('neither marks nor repetition nor length make the check slow', () => {
    const hostile = [
      '\u0301\u0323'.repeat(25_000),
      '\u0301\uff9e'.repeat(25_000),
      'a '.repeat(25_000),
      'ก'.repeat(50_000),
      '\ufdfa'.repeat(50_000),
      `${"'".repeat(25_000)}\u200b`.repeat(2),
    ];
    const index = indexLeaks(
      hostile.map((each) => asked(each, each)),
      hostile,
    );
    for (const each of hostile) expect(index.find(each)).toBeUndefined();
  });
});

it('a full set keeps an even share of the hashes, the same in any order', () => {
  const hashes = Array.from({ length: 10_000 }, (_, n) => (n * 2 ** 40 + n * 7919) % 2 ** 53).slice(1);
  const [forwards, backwards] = [new HashSample(1000), new HashSample(1000)];
  hashes.forEach((hash) => forwards.add(hash));
  hashes.toReversed().forEach((hash) => backwards.add(hash));
  const kept = hashes.filter((hash) => forwards.has(hash));
  expect(kept.length).toBeGreaterThan(400);
  expect(kept.length).toBeLessThanOrEqual(1000);
  expect(hashes.filter((hash) => backwards.has(hash))).toEqual(kept);
});

describe('of a case', () => {
  const caseOf = (input: object): CaseInput => CaseInput.parse({ name: 'A case', ...input });

  it('the prompt consists of all messages and parts of the user', () => {
    expect(promptOf(caseOf({ prompt: 'Hi' }))).toBe('Hi');
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: [{ type: 'text', text: 'Two' }, { type: 'image_url', image_url: {} }, 'no part', null] },
      { role: 'user', content: null },
    ];
    expect(promptOf(caseOf({ messages }))).toBe('One\nTwo');
  });

  it('expected strings are found in all calls, inside lists, objects and matchers, each once', () => {
    const expected_params = {
      city: { $one_of: ['Tokyo', 'Tōkyō', 5] },
      when: { $optional: 'today' },
      note: { $contains: 'call me' },
      who: [{ name: 'Ann', age: 30 }, 'Tokyo'],
      any: { $any: true },
      query: { $literal: { $regex: 'a.c' } },
    };
    const all = ['Tokyo', 'Tōkyō', 'today', 'call me', 'Ann', 'a.c'];
    expect(expectedStrings(caseOf({ prompt: 'x', expected_tool: 't', expected_params }))).toEqual(all);
    const expected_calls = [
      { tool: 't', params: expected_params },
      { tool: 'u' },
      { tool: 'v', params: { a: 'last' } },
    ];
    expect(expectedStrings(caseOf({ prompt: 'x', expected_calls }))).toEqual([...all, 'last']);
    expect(expectedStrings(caseOf({ prompt: 'x', expected_tool: null }))).toEqual([]);
  });

  it('patterns count with their literal parts', () => {
    const pattern = String.raw`(?i)^(New York|Paris.*|N\.Y\.|\d{4}-Q[1-4])$`;
    const words = expect.arrayContaining(['New York', 'Paris', 'N.Y.', '-Q']);
    expect(expectedStrings(caseOf({ prompt: 'x', expected_params: { city: { $regex: pattern } } }))).toEqual(words);
    for (const more of [
      { param_scoring: 'regex' },
      { scoring_config: { mode: 'regex' } },
      { scoring_config: { params: { city: { mode: 'regex' } } } },
    ])
      expect(expectedStrings(caseOf({ prompt: 'x', expected_params: { city: pattern }, ...more }))).toEqual(words);
    expect(expectedStrings(caseOf({ prompt: 'x', expected_params: { city: pattern } }))).toEqual([pattern]);
  });

  it('at most a thousand expected strings are read', () => {
    const list = Array.from({ length: 5000 }, (_, n) => `value ${n}`);
    expect(expectedStrings(caseOf({ prompt: 'x', expected_params: { list } }))).toHaveLength(1000);
  });
});
