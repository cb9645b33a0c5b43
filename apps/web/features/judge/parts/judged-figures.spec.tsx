import { renderToStaticMarkup } from 'react-dom/server';
import { PeopleTable } from './agreement-table.js';
import { decidedCountOfAll, KappaFigure, kappaText, shareText } from './judged-figures.js';

it.each<[number | null, [number, number] | null, string]>([
  [0.8, [0.601, 0.92], '80.0 % (60.1-92.0, n 10)'],
  [1, null, '100.0 % (n 10)'],
  [null, null, 'none judged'],
])('a share of %d is shown with its interval and count', (share, ci, words) => {
  expect(shareText(share, ci, 10)).toBe(words);
});

it.each<[number | null, [number, number] | null, string]>([
  [0.615, [0.2, 0.98], '0.61 (0.20 to 0.98)'],
  [-0.1, [-0.3, 0.1], '-0.10 (-0.30 to 0.10)'],
  [0.5, null, '0.50'],
  [null, null, 'none'],
])('a kappa of %d is shown with its interval', (kappa, ci, words) => {
  expect(kappaText(kappa, ci)).toBe(words);
});

it('verdicts that the judge cannot tell count in no share', () => {
  const counts = { correct: 3, acceptable: 1, wrong: 2, cannot_tell: 9 };
  expect(decidedCountOfAll({ targets: [{ counts }, { counts }] as never })).toBe(12);
});

it.each<[string, [number, number] | null, boolean]>([
  ['above chance level', [0.2, 0.9], false],
  ['that contains chance level', [-0.1, 0.9], true],
  ['that is unknown', null, true],
])('the dot of an agreement with an interval %s is hollow or not', (_what, interval, isHollow) => {
  const html = renderToStaticMarkup(<KappaFigure label="x" kappa={0.5} interval={interval} />);
  expect(html.includes('dot hollow')).toBe(isHollow);
  expect(html).toContain('0.50');
});

it('an interval is cut at the end of the scale', () => {
  const html = renderToStaticMarkup(<KappaFigure label="x" kappa={0.9} interval={[0.6, 1.3]} />);
  expect(html).toContain('x2="97%"');
});

it('judge and people agree within correct and acceptable, and levels that nobody used are left out', () => {
  const table = [
    { judged: 'correct', label: 'correct', n: 30 },
    { judged: 'correct', label: 'wrong', n: 10 },
    { judged: 'wrong', label: 'wrong', n: 10 },
  ] as const;
  const words = (of: Parameters<typeof PeopleTable>[0]['table']): string =>
    renderToStaticMarkup(<PeopleTable table={of} />)
      .replaceAll(/<[^<>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  expect(words([...table])).toBe(
    '80.0 % agree: 40 of 50 People Judge correct wrong correct 30 60.0 % 10 20.0 % wrong 0 0.0 % 10 20.0 %',
  );
  expect(words([...table, { judged: 'correct', label: 'acceptable', n: 50 }])).toMatch(/^90\.0 % agree: 90 of 100 /);
  expect(words([])).toBe('');
});
