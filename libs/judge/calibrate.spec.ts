import { LABELS } from '#lib/contracts/values/judging';
import type { LabelName } from '#lib/contracts/label';
import fc from '../../test/fast-check.js';
import { calibrate, type DrawnResults } from './calibrate.js';

/** Results drawn from one report, all with the same probability. */
const drawn = (
  said: [judged: LabelName, label: LabelName | null, results: number][],
  { reportId = 'a', probability = 1 } = {},
): DrawnResults[] => said.map(([judged, label, results]) => ({ reportId, judged, label, results, probability }));
const NOTHING = { kappa: null, ci: null };

describe('a calibration', () => {
  it.each([
    [50, 0.21],
    [100, 0.15],
    [200, 0.1],
  ])('of %i labels that agree in 0.9 where chance agrees in 0.6 is exact to ±%d', (n, half) => {
    const ok = (1.8 - Math.sqrt(0.84)) / 4; // Ok by judge and label; the judge finds 0.1 more ok. Then chance is 0.6.
    const { kappa, ci } = calibrate(
      drawn([
        ['correct', 'correct', n * ok],
        ['correct', 'wrong', n * 0.1],
        ['wrong', 'wrong', n * (0.9 - ok)],
      ]),
    );
    expect(kappa).toBeCloseTo(0.75, 10);
    expect(ci![1] - kappa!).toBeCloseTo(half, 2);
    expect(kappa! - ci![0]).toBeCloseTo((1.959964 * Math.sqrt((0.9 * 0.1) / n)) / 0.4, 6);
  });

  it('counts one level off as half a disagreement over three levels, and as none within ok', () => {
    const figures = calibrate(
      drawn([
        ['correct', 'acceptable', 30],
        ['correct', 'correct', 30],
        ['wrong', 'wrong', 40],
      ]),
    );
    expect(figures).toMatchObject({ kappa: 1, ci: [1, 1], status: 'good', labels: 100 });
    // Observed: 0.3 * 0.5; by chance: 0.6 * (0.3 * 0.5 + 0.4 * 1) + 0.4 * (0.3 * 1 + 0.3 * 0.5).
    const byChance = 0.51;
    expect(figures.linear.kappa).toBeCloseTo(1 - 0.15 / byChance, 12);
    const half = (1.959964 * Math.sqrt((0.3 * 0.25 - 0.15 ** 2) / 100)) / byChance;
    expect(figures.linear.ci![1] - figures.linear.kappa!).toBeCloseTo(half, 6);
  });

  it('weighs each label by the number of judged results that it represents', () => {
    // Half of the 40 results judged wrong are drawn, and a tenth of the 200 judged ok.
    const figures = calibrate([
      ...drawn(
        [
          ['correct', 'correct', 15],
          ['correct', 'wrong', 5],
        ],
        { probability: 0.1 },
      ),
      ...drawn(
        [
          ['wrong', 'wrong', 16],
          ['wrong', 'correct', 4],
        ],
        { probability: 0.5 },
      ),
    ]);
    const [a, b, c, d] = [150, 50, 8, 32].map((results) => results / 240) as [number, number, number, number];
    const byChance = (a + b) * (b + d) + (c + d) * (a + c);
    expect(figures.kappa).toBeCloseTo(1 - (b + c) / byChance, 12);
    // Twenty labels that represent ten results each and twenty that represent two: as informative as 27.7 equal ones.
    const effective = 240 ** 2 / (20 * 10 ** 2 + 20 * 2 ** 2);
    const half = (1.959964 * Math.sqrt(((b + c) * (1 - b - c)) / effective)) / byChance;
    expect(figures.ci![1] - figures.kappa!).toBeCloseTo(half, 6);
    expect(figures.ok).toEqual({ n: 20, share: 0.75, ci: [expect.closeTo(0.5313, 4), expect.closeTo(0.8881, 4)] });
    expect(figures.wrong).toMatchObject({ n: 20, share: 0.8 });
  });

  it('lets labelled results represent drawn results without a label', () => {
    const said = (share: number): DrawnResults[] => [
      ...drawn(
        [
          ['correct', 'correct', 20 * share],
          ['correct', 'wrong', 10 * share],
          ['correct', null, 30 * (1 - share)],
        ].filter(([, , results]) => results) as never,
        { probability: 0.2 },
      ),
      ...drawn([['wrong', 'wrong', 30]], { probability: 0.5 }),
    ];
    const [half, all] = [calibrate(said(0.5)), calibrate(said(1))];
    expect([half.labels, all.labels]).toEqual([45, 60]);
    expect(half.kappa).toBeCloseTo(all.kappa!, 12);
  });

  it('weighs ok and wrong by how often the judge says either, even if a report has no label for one of them', () => {
    const labelled = (reportId: string, kind: 'correct' | 'wrong', label: LabelName | null) =>
      drawn([[kind, label, 5]], { reportId, probability: kind === 'correct' ? 0.1 : 0.5 });
    const even = calibrate(
      ['a', 'b', 'c'].flatMap((id) => [...labelled(id, 'correct', 'correct'), ...labelled(id, 'wrong', 'correct')]),
    );
    const odd = calibrate(
      ['a', 'b', 'c'].flatMap((id) => [
        ...labelled(id, 'correct', 'correct'),
        ...labelled(id, 'wrong', id === 'a' ? 'correct' : null),
      ]),
    );
    expect(odd.labels).toBe(20);
    expect(odd.kappa).toBe(even.kappa);
    expect(odd.linear.kappa).toBe(even.linear.kappa);
  });

  it('without labels has no figures', () => {
    for (const none of [[], drawn([['wrong', null, 7]], { probability: 0.1 })])
      expect(calibrate(none)).toEqual({
        status: 'uncalibrated',
        labels: 0,
        ...NOTHING,
        text: 'Uncalibrated: 0 of 100 labels, usable from 50; people have not confirmed this judge.',
        linear: NOTHING,
        ok: { n: 0, share: null, ci: null },
        wrong: { n: 0, share: null, ci: null },
        table: [],
      });
  });

  it('has no kappa where all labels agree on one value', () => {
    expect(calibrate(drawn([['correct', 'correct', 200]], { probability: 0.3 }))).toEqual({
      status: 'uncalibrated',
      labels: 200,
      ...NOTHING,
      text: 'Uncalibrated: only 0 of 200 labels say wrong, and 15 are needed; people have not confirmed this judge.',
      linear: NOTHING,
      ok: { n: 200, share: 1, ci: [expect.closeTo(0.981, 3), 1] },
      wrong: { n: 0, share: null, ci: null },
      table: [{ judged: 'correct', label: 'correct', n: 200 }],
    });
  });

  it.each<[string, [LabelName, LabelName, number][], string]>([
    [
      'uncalibrated',
      [
        ['correct', 'acceptable', 29],
        ['wrong', 'wrong', 20],
      ],
      'Uncalibrated: 49 of 100 labels, usable from 50; people have not confirmed this judge.',
    ],
    [
      'uncalibrated',
      [
        ['correct', 'correct', 14],
        ['wrong', 'wrong', 50],
      ],
      'Uncalibrated: only 14 of 64 labels say ok, and 15 are needed; people have not confirmed this judge.',
    ],
    [
      'good',
      [
        ['correct', 'correct', 35],
        ['wrong', 'wrong', 15],
      ],
      'Good: kappa 1.00 (1.00 to 1.00) against 50 human labels.',
    ],
    [
      'good',
      [
        ['correct', 'correct', 45],
        ['correct', 'wrong', 8],
        ['wrong', 'wrong', 47],
      ],
      'Good: kappa 0.84 (0.74 to 0.95) against 100 human labels.',
    ],
    [
      'usable',
      [
        ['correct', 'correct', 40],
        ['correct', 'wrong', 15],
        ['wrong', 'wrong', 45],
      ],
      'Usable: kappa 0.71 (0.57 to 0.84) against 100 human labels.',
    ],
    [
      'weak',
      [
        ['correct', 'correct', 25],
        ['correct', 'wrong', 25],
        ['wrong', 'correct', 25],
        ['wrong', 'wrong', 25],
      ],
      'Weak: kappa 0.00 (-0.20 to 0.20) against 100 human labels.',
    ],
  ])('is %s', (status, said, text) => {
    expect(calibrate(drawn(said))).toMatchObject({ status, text });
  });

  it('has figures within their bounds for any input, without NaN or -0', () => {
    const rows = fc.array(
      fc.record({
        reportId: fc.constantFrom('a', 'b', 'c'),
        judged: fc.constantFrom(...LABELS),
        label: fc.option(fc.constantFrom(...LABELS)),
        results: fc.integer({ min: 1, max: 500 }),
        probability: fc.double({ min: 1e-4, max: 1, noNaN: true }),
      }),
      { maxLength: 20 },
    );
    const isFine = (value: number | null, low: number): boolean =>
      value === null || (value >= low && value <= 1 && !Object.is(value, -0));
    fc.assert(
      fc.property(rows, (given) => {
        const figures = calibrate(given);
        for (const { kappa, ci } of [figures, figures.linear]) {
          expect([kappa, ...(ci ?? [])].filter((value) => !isFine(value, -1))).toEqual([]);
          if (kappa !== null) expect(ci![0] <= kappa && kappa <= ci![1]).toBe(true);
        }
        for (const { n, share, ci } of [figures.ok, figures.wrong]) {
          expect([share, ...(ci ?? [])].filter((value) => !isFine(value, 0))).toEqual([]);
          expect(share === null).toBe(n === 0);
        }
        expect(figures.text).not.toMatch(/NaN|-0\.00|null|undefined/);
      }),
    );
  });
});
