import type { ParsedCall } from '#lib/contracts/verdict';
import fc from '../../test/fast-check.js';
import { chooseComponents } from './choose-components.js';
import { buildMetaRequest, shorten } from './meta-request.js';
import { pickComponent } from './pick-component.js';
import { readProposals } from './read-proposals.js';
import type { Ask, Candidate } from './search.js';
import { splitRoles } from './split-roles.js';

const BASE = { system_prompt: 'Be brief, {{name}}.', 'tools/a/description': 'Does a.', 'tools/b/description': '' };
const context = { base: BASE, maxGrowth: 2, tools: [{ name: 'a', parameters: ['x'] }] };
const asking = (task: Ask['task'], ...texts: object[]): Pick<Ask, 'task' | 'parents' | 'count'> => ({
  task,
  count: 3,
  parents: (texts.length > 0 ? texts : [BASE]).map((of) => ({ texts: of }) as Candidate),
});
const messagesOf = (...args: Parameters<typeof buildMetaRequest>): [string, string] =>
  buildMetaRequest(...args).messages!.map(({ content }) => content as string) as [string, string];
const documentIn = (content: string): any => JSON.parse(/```json\n([\s\S]*)\n```$/.exec(content)![1]!);

describe('a request to the meta model', () => {
  it('keeps untrusted text between fences that no text closes, with constant instructions', () => {
    const [instructions] = messagesOf(asking('reflect'), context, [], 'system_prompt');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', '"', '\\', '\n', '}', 'json', 'x', '\u2028') }), (hostile) => {
        const example = {
          prompt: hostile,
          called: [{ tool: hostile, arguments: { x: hostile } }],
          explanation: [hostile],
        };
        const texts = { ...BASE, system_prompt: hostile };
        const [system, user] = messagesOf(asking('reflect', texts), context, [example], 'system_prompt');
        expect(system).toBe(instructions);
        expect(user.split('\n').filter((line) => line.includes('`'))).toEqual(['```json', '```']);
        expect(documentIn(user)).toMatchObject({ current_text: hostile, examples: [example] });
      }),
    );
  });

  it('names the component, its text, the other texts for context, and the maximum length', () => {
    const [, user] = messagesOf(asking('reflect'), context, [], 'tools/a/description');
    const { 'tools/a/description': _own, ...others } = BASE;
    expect(documentIn(user)).toMatchObject({
      task: 'reflect',
      component: 'tools/a/description',
      current_text: 'Does a.',
      components: others,
      most_characters: { 'tools/a/description': 807 },
    });
  });

  it('shows the full parents of a mutation and of a crossover', () => {
    const long = { ...BASE, system_prompt: 'x'.repeat(40_000) };
    const [, one] = messagesOf(asking('mutate', long), context, []);
    const [, two] = messagesOf(asking('crossover', long, BASE), context, []);
    expect(documentIn(one).parents).toEqual([{ components: long }]);
    expect(documentIn(two).parents).toEqual([{ components: long }, { components: BASE }]);
  });

  it('truncates long parts of an example', () => {
    expect((shorten('x'.repeat(10_000)) as string).length).toBeLessThan(4_100);
    expect((shorten({ a: 'x'.repeat(10_000) }) as string).length).toBeLessThan(4_100);
    expect(shorten({ a: [1, null] })).toEqual({ a: [1, null] });
    expect(shorten(undefined)).toBeNull();
  });
});

describe('a reply of the meta model', () => {
  const reflect = { task: 'reflect' as const, components: ['system_prompt'] };
  const all = { task: 'variants' as const, components: Object.keys(BASE) };
  const call = (name: string, args: unknown): ParsedCall[] => [{ name, arguments: args as never }];

  it('is parsed with its explanations', () => {
    expect(readProposals(call('propose_text', { text: ' New. ', why: 'Because.', more: 1 }), reflect)).toEqual([
      { texts: { system_prompt: 'New.' }, why: 'Because.' },
    ]);
    const candidates = [
      {
        texts: [
          { component: 'system_prompt', text: 'One.' },
          { component: 'unknown', text: 'x' },
        ],
        why: 7,
      },
      { texts: [{ component: 'unknown', text: 'x' }], why: 'Nothing of this suite.' },
    ];
    expect(readProposals(call('propose_candidates', { candidates }), all)).toEqual([
      { texts: { system_prompt: 'One.' }, why: null },
    ]);
  });

  it.each([
    [[], reflect, 'it does not call any tool.'],
    [call('other', {}), reflect, 'it does not call propose_text.'],
    [call('propose_text', null), reflect, 'the arguments of its call of propose_text are not a JSON object.'],
    [
      call('propose_text', { answer: 42 }),
      reflect,
      /^the arguments of its call of propose_text do not match the schema: "text":/,
    ],
    [call('propose_text', { text: 'x'.repeat(50_001) }), reflect, /do not match the schema: "text"/],
    [call('propose_candidates', { candidates: [] }), all, /do not match the schema: "candidates"/],
    [
      call('propose_candidates', { candidates: Array(51).fill({ texts: [] }) }),
      all,
      /do not match the schema: "candidates"/,
    ],
    [
      call('propose_candidates', { candidates: [{ texts: [{ component: '__proto__', text: 'x' }] }] }),
      all,
      'its call of propose_candidates names no existing component.',
    ],
  ])('that cannot be parsed states the reason: %#', (called, asked, why) => {
    expect(readProposals(called, asked)).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
  });

  it('may contain characters that Postgres does not accept, which are replaced', () => {
    const [read] = readProposals(call('propose_text', { text: 'a\u0000b', why: 'c\ud800d' }), reflect) as any[];
    expect(JSON.stringify(read)).not.toMatch(/\\u0000|\\ud800/);
  });
});

describe('components', () => {
  const known = [
    'system_prompt',
    'tools/a/description',
    'tools/b/description',
    'tools/a/parameters/properties/x/description',
    'tools/a/parameters/properties/y/description',
    'tools/b/parameters/properties/x/description',
  ];
  it.each([
    [
      ['tools/*/description', 'system_prompt'],
      [0, 1, 2],
    ],
    [['tools/a/parameters/*/description'], [3, 4]],
    [['tools/*/parameters/*/description'], [3, 4, 5]],
    [['tools/*/parameters/properties/x/description'], [3, 5]],
    [
      ['tools/b/parameters/properties/x/description', 'tools/b/description'],
      [2, 5],
    ],
  ])('%j match texts of the suite, in its order', (patterns, indexes) => {
    expect(chooseComponents(patterns, known)).toEqual(indexes.map((index) => known[index]));
  });

  it.each(['tools/c/description', 'tools/*', '*', 'description', 'tools/*/description/x', 'tools/../description'])(
    '%s matches nothing, and the error lists the existing texts',
    (pattern) => {
      expect(() => chooseComponents(['system_prompt', pattern], known)).toThrow(
        expect.objectContaining({ status: 422, message: expect.stringMatching(/It has system_prompt, .* and 1 more/) }),
      );
    },
  );

  it('are too many for a tune above 200', () => {
    const many = Array.from({ length: 201 }, (_, n) => `tools/t${n}/description`);
    expect(() => chooseComponents(['tools/*/description'], many)).toThrow(/match 201 texts, and the maximum is 200/);
  });

  it('are rewritten where most cases fail, then where fewer texts were tried', () => {
    const tools = known.slice(1, 3);
    expect(pickComponent(tools, [['B'], ['b', 'a'], []], new Map())).toBe('tools/b/description');
    expect(pickComponent(tools, [['b'], ['b', 'a']], new Map([['tools/b/description', 2]]))).toBe(
      'tools/a/description',
    );
    expect(pickComponent(tools, [], new Map([['tools/a/description', 1]]))).toBe('tools/b/description');
    expect(pickComponent(['system_prompt'], [['a']], new Map([['system_prompt', 9]]))).toBe('system_prompt');
  });
});

describe('the roles of cases', () => {
  const cases = (count: number) =>
    Array.from({ length: count }, (_, position) => ({ position, category: `c${position % 3}` }));
  it('are divided from 60 cases on, and no case has two roles', () => {
    const { reflect, select, heldOut } = splitRoles(cases(60), 0.3, 1);
    expect([reflect.length, select.length, heldOut.length]).toEqual([24, 18, 18]);
    expect(new Set([...reflect, ...select, ...heldOut]).size).toBe(60);
    const ofCategory = (positions: number[]) => positions.filter((position) => position % 3 === 0).length;
    expect([reflect, select, heldOut].map(ofCategory)).toEqual([8, 6, 6]);
  });

  it('are shared below that, except for held-out cases', () => {
    const { reflect, select, heldOut } = splitRoles(cases(59), 0.3, 1);
    expect(reflect).toEqual(select);
    expect([reflect.length, heldOut.length]).toEqual([42, 17]);
    expect(reflect.filter((position) => heldOut.includes(position))).toEqual([]);
  });
});
