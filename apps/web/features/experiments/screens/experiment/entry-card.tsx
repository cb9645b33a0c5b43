import type { TimelineEntry } from '#lib/contracts/experiment';
import { modelOf } from '#lib/contracts/target-name';
import { money, scoreText } from '../../../../ui/amounts';
import { Moment } from '../../../../ui/time';
import { UserText } from '../../../../ui/user-text';
import { signedPoints } from '../../../runs/parts/against-words';
import { deltaFromBaselineText } from './experiment-texts';
import { entryName } from './timeline-marks';

const MAX_SUMMARY = 160;

interface Props {
  entry: TimelineEntry;
  /** In US dollars; undefined when unknown. */
  cost: number | undefined;
}

/** A run of the timeline under the pointer. */
export function EntryCard({ entry, cost }: Props) {
  const { score: mean, score_ci: ci, scored, comparison, config_summary: summary, is_baseline: isBaseline } = entry;
  const worst = comparison?.models && comparison.models.regressed > 0 ? comparison.models.worst : undefined;
  return (
    <>
      <strong>
        <UserText text={entryName(entry)} max={100} />
      </strong>{' '}
      <Moment at={entry.timestamp} />
      <div>{scoreText({ mean, ci, scored })}</div>
      <div>{deltaFromBaselineText(entry)}</div>
      {worst && worst.difference !== null && (
        <div>
          <UserText text={modelOf(worst.target)} max={60} /> {signedPoints(worst.difference)}
        </div>
      )}
      {!isBaseline && summary !== 'as baseline' && (
        <div>
          <UserText text={summary} max={MAX_SUMMARY} />
        </div>
      )}
      {cost !== undefined && <div>{money(cost)}</div>}
    </>
  );
}
