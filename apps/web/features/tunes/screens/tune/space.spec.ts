import type { JsonObject } from '#lib/contracts/json/json';
import type { Arm } from '../../parts/arms.js';
import { axesOf, cellsOf, chooseAxes, scoreSpan, spaceOf } from './space.js';

const arm = (n: number, config: JsonObject, mean: number | null, more: Partial<Arm> = {}): Arm =>
  ({ arm: n, config, mean, cases: mean === null ? 0 : 40, state: 'dropped', same_as: null, ...more }) as Arm;
/** Every combination, with its score. */
const grid = (space: Record<string, (number | string | null)[]>, scoreOf: (config: any) => number | null): Arm[] => {
  const configs = Object.entries(space).reduce<JsonObject[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
  return configs.map((config, n) => arm(n, config, scoreOf(config)));
};
const stepsOf = (arms: Arm[], space: JsonObject = {}): string[][] =>
  axesOf(arms, space).map(({ steps }) => steps.map(({ words }) => words));

describe('the axes of a space', () => {
  it('are the parameters that vary: numbers by size, other values as given, null as unset', () => {
    const arms = grid({ tool_choice: ['required', 'auto', null], top_p: [1, 0.5], seed: [7] }, () => 0.5);
    expect(stepsOf(arms, { tool_choice: ['auto', null, 'required'] })).toEqual([
      ['auto', 'unset', 'required'],
      ['0.5', '1'],
    ]);
    expect(stepsOf([arm(0, {}, 0.5)])).toEqual([]);
  });

  it.each<[number[], boolean]>([
    [[16, 64, 256, 1024], true],
    [[1, 10, 90], true],
    [[0, 0.25, 0.5, 1], false],
    [[10, 20, 30], false],
    [[1, 100], false],
  ])('of %j are logarithmic: %s', (values, isLog) => {
    expect(
      axesOf(
        grid({ x: values }, () => 0),
        {},
      )[0]!.isLog,
    ).toBe(isLog);
  });

  it('begin with unset where the other values are numbers', () => {
    const [axis] = axesOf(
      grid({ max_tokens: [16, null, 64] }, () => 0),
      {},
    );
    expect(axis!.steps.map(({ words, value }) => [words, value])).toEqual([
      ['unset', undefined],
      ['16', 16],
      ['64', 64],
    ]);
    expect(axis!.isNumeric).toBe(true);
  });

  it('have at most thirty places, of neighbouring numbers', () => {
    const values = Array.from({ length: 100 }, (_, n) => n);
    const [axis] = axesOf(
      grid({ x: values }, () => 0),
      {},
    );
    expect(axis!.steps).toHaveLength(25);
    expect(axis!.steps[1]).toEqual({ words: '4 to 7', value: 4 });
  });

  it('begin with the two that explain most of the scores, the finer one across', () => {
    const arms = grid(
      { a: [0, 1], b: ['x', 'y'], c: [1, 2, 3] },
      ({ a, b, c }) => 0.3 * c + (b === 'x' ? 0.1 : 0) + a / 99,
    );
    const [across, down] = chooseAxes(axesOf(arms, {}), arms);
    expect([across.parameter, down.parameter]).toEqual(['c', 'b']);
    const ties = arms.map((one) => ({ ...one, mean: 0.5 }));
    expect(chooseAxes(axesOf(ties, {}), ties).map(({ parameter }) => parameter)).toEqual(['a', 'b']);
  });
});

describe('a place of a space', () => {
  it('has the best of what got furthest, not a lucky score on a few cases', () => {
    const arms = [
      arm(0, { t: 0, p: 1 }, 0.9, { cases: 4 }),
      arm(1, { t: 0, p: 2 }, 0.7, { state: 'finalist' }),
      arm(2, { t: 1, p: 1 }, null),
      arm(3, { t: 1, p: 2 }, 0.8, { cases: 4 }),
    ];
    const [t] = axesOf(arms, {});
    expect(cellsOf(arms, t!)).toMatchObject([
      { best: { arm: 1 }, isPartial: false, hasBase: true },
      { best: { arm: 3 }, isPartial: true, hasBase: false },
    ]);
  });

  it('has the figures of the arm that makes the same requests, and nothing where nothing was tried', () => {
    const arms = [
      arm(0, { t: 0, p: 1 }, 0.9, { state: 'recommended' }),
      arm(1, { t: 0, p: 2 }, null, { same_as: 0 }),
      arm(2, { t: 1, p: 1 }, null),
    ];
    const [t, p] = axesOf(arms, {});
    const cells = cellsOf(arms, t!, p);
    expect(cells.map(({ best }) => best?.arm)).toEqual([0, 2, 0, undefined]);
    expect(cells.map(({ isRecommended }) => isRecommended)).toEqual([true, false, true, false]);
  });
});

it('equal scores look equal, and the tints of others span their scores', () => {
  expect(scoreSpan([arm(0, {}, 0.5), arm(1, {}, 0.5)])).toEqual([0.45, 0.55]);
  expect(scoreSpan([arm(0, {}, 0.2), arm(1, {}, 0.8), arm(2, {}, null)])).toEqual([0.2, 0.8]);
  expect(scoreSpan([])).toEqual([0, 1]);
});

it('a model has a space of its own by its full name or its id', () => {
  const spaces = { search_space: { a: 1 }, per_model_search_spaces: { m: { b: 1 }, 'p::n': { c: 1 } } };
  expect(['p::m', 'p::n', 'p::o'].map((target) => spaceOf(target, spaces))).toEqual([{ b: 1 }, { c: 1 }, { a: 1 }]);
});
