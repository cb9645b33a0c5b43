import { reverseDiff } from '#lib/contracts/prompt-diff';
import { diffLines } from './prompt-diff.js';
import { markedText } from './terminal.js';

const component = 'system_prompt';
const hunks = [
  { op: 'same' as const, text: 'Be ' },
  { op: 'removed' as const, text: 'brief' },
  { op: 'added' as const, text: 'kind' },
  { op: 'same' as const, text: '.' },
];
const shown = (given: typeof hunks, colours = false): string =>
  diffLines([{ component, hunks: given }])
    .map((line) => markedText(line, colours))
    .join('\n');

it('a diff marks removed and added words, in colour on a terminal and with signs elsewhere', () => {
  expect(shown(hunks)).toBe('system_prompt\n  Be [-brief-]{+kind+}.');
  expect(shown(hunks, true)).toBe('system_prompt\n  Be \u001b[31mbrief\u001b[0m\u001b[32mkind\u001b[0m.');
});

it('a diff escapes control characters', () => {
  expect(shown([{ op: 'added' as never, text: '\u001b[2J\u202e' }], true)).toBe(
    'system_prompt\n  \u001b[32m\\u001b[2J\\u202e\u001b[0m',
  );
});

it('a diff shows only lines near a change', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => `line ${from + n}`).join('\n');
  const long = [
    { op: 'same' as const, text: `${lines(0, 10)}\n` },
    { op: 'added' as const, text: 'new' },
    { op: 'same' as const, text: `\n${lines(10, 20)}` },
  ];
  expect(shown(long as never)).toBe('system_prompt\n  ...\n  line 8\n  line 9\n  {+new+}\n  line 10\n  line 11\n  ...');
});

it('a diff can be reversed', () => {
  const [back] = reverseDiff([{ component, from: 'Be brief.', to: 'Be kind.', hunks }]);
  expect(back).toMatchObject({ from: 'Be kind.', to: 'Be brief.' });
  expect(shown(back!.hunks as never)).toBe('system_prompt\n  Be [-kind-]{+brief+}.');
});
