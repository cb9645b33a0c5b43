import type { LabelDraw } from '#lib/contracts/label';
import { leftOf, NOTHING_DONE, skipsOf, withoutLast, withoutSkips, withStep } from './labelling.js';

const draw = (id: string): LabelDraw => ({ eval_id: 'r', result: { id } }) as LabelDraw;
const [a, b, c] = ['a', 'b', 'c'].map(draw) as [LabelDraw, LabelDraw, LabelDraw];
const labelled = (one: LabelDraw) => ({ draw: one, label: 'wrong' as const, note: '' });
const skipped = (one: LabelDraw) => ({ draw: one, label: null, note: '' });

describe('labelling', () => {
  it('leaves results that are neither labelled nor skipped, even after a new draw', () => {
    const done = withStep(withStep(NOTHING_DONE, skipped(a)), labelled(b));
    expect(leftOf([a, b, c], done)).toEqual([c]);
    expect(leftOf([draw('a'), draw('d')], done)).toEqual([draw('d')]);
    expect(skipsOf(done)).toBe(1);
  });

  it('an undone result comes first, once, even if it is from an earlier draw', () => {
    const done = withStep(withStep(NOTHING_DONE, labelled(a)), labelled(b));
    const undone = withoutLast(withoutLast(done));
    expect(leftOf([b, c], undone)).toEqual([a, b, c]);
    expect(leftOf([c], withStep(undone, labelled(a)))).toEqual([b, c]);
    expect(withoutLast(NOTHING_DONE)).toEqual(NOTHING_DONE);
  });

  it('a skipped result can still be labelled', () => {
    const done = withStep(withStep(NOTHING_DONE, skipped(a)), labelled(b));
    expect(leftOf([a, b, c], withoutSkips(done))).toEqual([a, c]);
  });
});
