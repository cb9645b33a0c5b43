import type { Arm } from '../../parts/arms.js';
import { armKey, type ArmUpdate } from '../../live.js';
import { costOf, groupArms, withUpdates } from './arm-list.js';

const arm = (n: number, of: Partial<Arm> = {}): Arm => ({
  arm: n,
  target: 'p::m',
  config: {},
  adjusted: false,
  same_as: null,
  state: 'waiting',
  rung: null,
  cases: 0,
  samples: 0,
  mean: null,
  ci: null,
  errored: 0,
  cost_usd: null,
  latency_p50_ms: null,
  tied: false,
  ...of,
});
const numbers = (arms: Arm[]): number[] => arms.map((one) => one.arm);

it('arms are grouped by progress, the best first', () => {
  const groups = groupArms([
    arm(0, { state: 'finalist', mean: 0.5 }),
    arm(1, { state: 'running', mean: 0.9 }),
    arm(2, { state: 'recommended', mean: 0.8 }),
    arm(3, { state: 'dropped', mean: 0.1 }),
    arm(4, { state: 'dropped', mean: 0.3 }),
    arm(5),
    arm(6, { same_as: 0 }),
    arm(7, { state: 'running' }),
  ]);
  expect(numbers(groups.leading)).toEqual([2, 1, 0, 7]);
  expect(numbers(groups.dropped)).toEqual([4, 3]);
  expect(numbers(groups.waiting)).toEqual([5]);
  expect(numbers(groups.same)).toEqual([6]);
});

describe('live figures of an arm', () => {
  const told = (of: Partial<ArmUpdate>) =>
    new Map([[armKey(arm(0)), { ...of, arm: 0, target: 'p::m', latency_ms: 7 } as ArmUpdate]]);

  it('are shown when newer than the stored ones', () => {
    const news = told({ cases: 8, mean: 0.5, state: 'running', rung: 'b' });
    expect(withUpdates(arm(0, { cases: 4 }), news)).toMatchObject({ cases: 8, state: 'running', latency_p50_ms: 7 });
  });

  it('are ignored when older, and never revert a state', () => {
    expect(withUpdates(arm(0, { cases: 9, mean: 1 }), told({ cases: 8, mean: 0.5 }))).toMatchObject({ mean: 1 });
    const read = arm(0, { cases: 8, state: 'recommended' });
    expect(withUpdates(read, told({ cases: 8, state: 'finalist' })).state).toBe('recommended');
  });
});

it('the cost of arms is known when every measured arm has a price', () => {
  expect(costOf([arm(0), arm(1, { samples: 1, cost_usd: 0.5 }), arm(2, { errored: 1, cost_usd: 0 })])).toBe(0.5);
  expect(costOf([arm(0, { samples: 1 })])).toBeNull();
  expect(costOf([arm(0)])).toBe(0);
});
