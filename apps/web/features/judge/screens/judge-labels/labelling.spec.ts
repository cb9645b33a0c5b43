import type { LabelDraw } from '#lib/contracts/label';
import { remaining, EMPTY_LABELLING, skipCount, undoneOnce, withoutSkips, withStep } from './labelling.js';

const draw = (id: string): LabelDraw => ({ eval_id: 'r', result: { id } }) as LabelDraw;
const [a, b, c] = ['a', 'b', 'c'].map(draw) as [LabelDraw, LabelDraw, LabelDraw];
const labelled = (one: LabelDraw) => ({ draw: one, label: 'wrong' as const, note: '' });
const skipped = (one: LabelDraw) => ({ draw: one, label: null, note: '' });

describe('labelling', () => {
  it('leaves results that are neither labelled nor skipped, even after a new draw', () => {
    const done = withStep(withStep(EMPTY_LABELLING, skipped(a)), labelled(b));
    expect(remaining([a, b, c], done)).toEqual([c]);
    expect(remaining([draw('a'), draw('d')], done)).toEqual([draw('d')]);
    expect(skipCount(done)).toBe(1);
  });

  it('an undone result comes first, once, even if it is from an earlier draw', () => {
    const done = withStep(withStep(EMPTY_LABELLING, labelled(a)), labelled(b));
    const undone = undoneOnce(undoneOnce(done));
    expect(remaining([b, c], undone)).toEqual([a, b, c]);
    expect(remaining([c], withStep(undone, labelled(a)))).toEqual([b, c]);
    expect(undoneOnce(EMPTY_LABELLING)).toEqual(EMPTY_LABELLING);
  });

  it('a skipped result can still be labelled', () => {
    const done = withStep(withStep(EMPTY_LABELLING, skipped(a)), labelled(b));
    expect(remaining([a, b, c], withoutSkips(done))).toEqual([a, c]);
  });
});
