import type { FailureGroup } from '#lib/contracts/run-facets';
import { branchesOf, type Branch } from './failure-branches.js';
import { stripWords } from './failure-words.js';

const group = (id: string, count: number, of: Partial<FailureGroup> = {}): FailureGroup => ({
  ...{ id, count, by_target: [count, 0], example: '0-0-0', difference: null, argument: null },
  ...{ error_type: 'wrong_argument', expected_tool: 'send_email', called_tool: 'send_email' },
  ...of,
});
const drawn = ({ words, count, children }: Branch): unknown => [words, count, ...children.map(drawn)];

it('failures are by error type, tools and argument; single ones are folded, and what is not listed is counted', () => {
  const items = [
    group('1', 9, { argument: '/to' }),
    group('2', 4, { argument: '/subject' }),
    group('3', 3, { expected_tool: 'get_weather', called_tool: 'get_weather', argument: '/city' }),
    group('4', 2, { error_type: 'no_call', called_tool: '(none)', by_target: [1, 1] }),
    ...['5', '6'].map((id) => group(id, 1, { argument: `/other ${id}` })),
  ];
  const types = [
    { error_type: 'wrong_argument', count: 25, other_groups: 4, other_results: 7 } as const,
    { error_type: 'no_call', count: 2, other_groups: 0, other_results: 0 } as const,
  ];
  const branches = branchesOf({ items, types: [...types] });
  expect(branches.map(drawn)).toEqual([
    [
      'wrong argument',
      25,
      ['send_email', 13, ['to', 9], ['subject', 4]],
      ['get_weather, city', 3],
      ['2 single results', 2, ['send_email, other 5', 1], ['send_email, other 6', 1]],
      ['in 4 smaller groups', 7],
    ],
    ['no call', 2, ['send_email → no call', 2]],
  ]);
  expect(branches[1]!.byTarget).toEqual([1, 1]);
});

it('a strip of models says how many failed so, and the counts of the first', () => {
  expect(stripWords(['a', 'b', 'c'], [0, 1, 1200])).toBe('2 of 3 models: c 1,200, b 1');
  const names = Array.from({ length: 60 }, (_, n) => `m${n}`);
  expect(
    stripWords(
      names,
      names.map(() => 2),
    ),
  ).toMatch(/^60 of 60 models: m0 2, .* and 52 more$/);
});
