import { readFileSync } from 'node:fs';
import { pairedInterval, smallestDetectable } from '#lib/scoring/statistics/paired';

const CASES = [50, 100, 200, 500, 1000, 2000, 5000];
const CHANGING = [0.02, 0.05, 0.1, 0.2, 0.4];

/** The smallest detectable difference with `cases` of which a share changes, half of them for the better. */
function detectable(cases: number, changing: number): number {
  const changed = Math.round((cases * changing) / 2) * 2;
  const differences = Array.from({ length: cases }, (_, n) => (n >= changed ? 0 : n % 2 === 0 ? 1 : -1));
  return smallestDetectable(pairedInterval(differences));
}

it('the table of docs/compare.md shows what the statistics compute', () => {
  const rows = CASES.map((cases) =>
    [
      cases.toLocaleString('en'),
      ...CHANGING.map((changing) => {
        const difference = detectable(cases, changing);
        return difference > changing ? '-' : (100 * difference).toFixed(1);
      }),
    ].join(' | '),
  );
  const page = readFileSync('docs/compare.md', 'utf8');
  const [, table] = /<!-- cases: .*-->\n\n((?:\|.*\n)+)/.exec(page)!;
  const cells = (line: string): string => line.replace(/^\| *| *\|$/g, '').replace(/ *\| */g, ' | ');
  const [heading, , ...shown] = table!.trim().split('\n').map(cells);
  expect(heading).toBe(['cases', ...CHANGING.map((share) => `${100 * share} % change`)].join(' | '));
  expect(shown).toEqual(rows);
});
