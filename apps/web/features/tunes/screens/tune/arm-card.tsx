import { count, Money, scoreText } from '../../../../ui/amounts';
import { UserText } from '../../../../ui/user-text';
import { configText } from './arm-settings';
import type { Cell } from './space';

/** What a picture says of the best combination of a place, in words. */
export function cellWords({ best, isPartial, hasBase, isRecommended }: Cell, place: string): string {
  if (!best) return `${place}: not tried`;
  const marks = [
    isRecommended && 'recommended',
    hasBase && 'the base',
    isPartial && best.mean !== null && 'fewer cases',
  ];
  return [`${place}: ${best.mean === null ? 'not measured' : scoreOf(best)}`, ...marks].filter(Boolean).join(', ');
}

const scoreOf = ({ mean, ci, cases }: NonNullable<Cell['best']>): string => scoreText({ mean, ci, scored: cases });

/** The combination under the pointer or with the focus. */
export function ArmCard({ cell: { best, isPartial } }: { cell: Cell }) {
  if (!best) return <>Not tried.</>;
  const { arm, config, state, rung, samples, errored, cost_usd: cost } = best;
  return (
    <>
      <strong>
        <UserText text={configText(config)} max={300} />
      </strong>
      <div>{best.mean === null ? 'Not measured.' : scoreOf(best)}</div>
      <div className="muted">
        Combination {arm}, {state}
        {rung !== null && (
          <>
            {' '}
            at <UserText text={rung} max={60} />
          </>
        )}
        {isPartial && best.mean !== null && ', on fewer cases'}
      </div>
      {samples > 0 && (
        <div className="muted">
          {count(samples)} {samples === 1 ? 'sample' : 'samples'}, <Money usd={cost} />
          {errored > 0 && `, ${count(errored)} errored`}
        </div>
      )}
    </>
  );
}
