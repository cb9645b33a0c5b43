import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { calibrationQuery } from '../../api/judge';
import { CalibrationSentence } from '../../parts/calibration';
import { Empty } from '../../../../ui/empty';
import { count } from '../../../../ui/score';
import type { useLabelQueue } from './use-label-queue';

interface Props {
  labelling: ReturnType<typeof useLabelQueue>;
  judge: string;
}

/** Shown when all results are labelled or skipped: a summary of the labels. */
export function LabellingDone({ labelling: { skips, labelled, hasSteps, undo, again }, judge }: Props) {
  const calibration = useQuery({ ...calibrationQuery({ judge }), refetchOnMount: 'always' });
  return (
    <>
      {calibration.data && <CalibrationSentence calibration={calibration.data} />}
      <Empty
        action={
          <>
            {skips > 0 && (
              <button type="button" onClick={again}>
                Label skipped results
              </button>
            )}
            {hasSteps && (
              <button type="button" aria-keyshortcuts="u" onClick={undo}>
                Undo <kbd>u</kbd>
              </button>
            )}
            <Link to="/judge/calibration" search={{ judge }} className="button">
              Calibration
            </Link>
            <Link to="/judge/new" className="button">
              New report
            </Link>
          </>
        }
      >
        {doneText(skips, labelled)}
      </Empty>
    </>
  );
}

function doneText(skips: number, labelled: number): string {
  if (skips > 0) return `Nothing else is left to label: ${count(skips)} ${skips === 1 ? 'was' : 'were'} skipped.`;
  if (labelled > 0) return 'Nothing is left to label: all results are labelled.';
  return 'Nothing to label: this judge has no such judgements with its current settings. Create a report first.';
}
