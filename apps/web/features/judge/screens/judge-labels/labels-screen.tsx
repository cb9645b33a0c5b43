import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useRef, type RefObject } from 'react';
import type { LabelDraw } from '#lib/contracts/label';
import { useRefusal } from '../../../../api/session';
import { Bar } from '../../../../ui/status';
import { Empty } from '../../../../ui/empty';
import { ErrorNotice } from '../../../../ui/notices';
import { useKeys } from '../../../../ui/keys';
import { count } from '../../../../ui/amounts';
import { Skeleton } from '../../../../ui/query-boundary';
import { UserText } from '../../../../ui/user-text';
import { Calls } from '../../../results/parts/calls';
import { Conversation } from '../../../results/parts/conversation';
import { calibrationQuery } from '../../api';
import { CalibrationSentence } from '../../parts/calibration';
import css from '../../parts/judge.module.css';
import { LABEL_KEYS, LabelButtons } from '../../parts/label-buttons';
import { useLabelQueue, type Labelled } from './use-label-queue';

/** People label results that a judge has judged, so that the two can be compared. */
export function LabelsScreen() {
  const { eval: run, judge } = useSearch({ from: '/signed-in/judge/labels' });
  const refusal = useRefusal('editor');
  return (
    <>
      <div className="head">
        <h1>Label results</h1>
        <Link to="/judge/calibration" search={{ judge }}>
          Calibration
        </Link>
      </div>
      {refusal === undefined ? (
        <LabelQueue key={`${run} ${judge}`} run={run} judge={judge} />
      ) : (
        <Empty>Results are drawn here for people to label. {refusal}</Empty>
      )}
    </>
  );
}

/** One result at a time. The judge's opinion is hidden, so that it does not bias the labels. */
function LabelQueue(of: Labelled) {
  const labelling = useLabelQueue(of);
  const { queue, current, labelled, said, error } = labelling;
  const note = useRef<HTMLTextAreaElement>(null);
  useKeys({
    ...Object.fromEntries(LABEL_KEYS.map(([label, key]) => [key, () => labelling.label(label)])),
    s: labelling.skip,
    u: labelling.undo,
    n: () => note.current?.focus(),
  });
  if (queue.isError) return <ErrorNotice error={queue.error} retry={() => queue.refetch()} />;
  return (
    <>
      <span className="unseen" role="status">
        {said}
      </span>
      {queue.data && <Progress judge={queue.data.judge} labelled={labelled} asked={queue.data.asked} />}
      {error && <ErrorNotice error={error} />}
      {queue.isPending && <Skeleton rows={12} />}
      {current && <ResultToLabel draw={current} />}
      {current && <LabelForm labelling={labelling} note={note} />}
      {queue.data && !current && <LabellingDone labelling={labelling} judge={queue.data.judge} />}
    </>
  );
}

const Progress = ({ judge, labelled, asked }: { judge: string; labelled: number; asked: number }) => (
  <section aria-label="Progress" className="section">
    <div className="facts">
      <strong>
        {count(labelled)} of {count(asked)} labels
      </strong>
      <span>
        for the judge <UserText text={judge} max={200} />
      </span>
    </div>
    <Bar done={labelled} total={asked} label="Labels for the judge" />
  </section>
);

function ResultToLabel({ draw: { eval_id: runId, result, conversation } }: { draw: LabelDraw }) {
  return (
    <section aria-labelledby="to-label" className="section">
      <div className="head">
        <h2 id="to-label">
          <UserText text={result.case_name ?? 'Unnamed case'} max={200} />
        </h2>
        <Link to="/runs/$runId/results/$resultId" params={{ runId, resultId: result.id }}>
          Full result
        </Link>
      </div>
      <Conversation messages={conversation} />
      <Calls result={result} />
    </section>
  );
}

type Labelling = ReturnType<typeof useLabelQueue>;

function LabelForm({ labelling, note }: { labelling: Labelling; note: RefObject<HTMLTextAreaElement | null> }) {
  const { isBusy, hasSteps } = labelling;
  return (
    <section aria-label="Your label" className={css.answer}>
      <p>Does the reply serve the user, regardless of what the case expects?</p>
      <div className="actions">
        <LabelButtons choose={labelling.label} isPending={isBusy} hasKeys />
        <button type="button" disabled={isBusy} aria-keyshortcuts="s" onClick={labelling.skip}>
          Skip <kbd className={css.key}>s</kbd>
        </button>
        <button type="button" disabled={isBusy || !hasSteps} aria-keyshortcuts="u" onClick={labelling.undo}>
          Undo <kbd className={css.key}>u</kbd>
        </button>
      </div>
      <div className="field">
        <label htmlFor="label-note">
          Note <kbd className={css.key}>n</kbd>
        </label>
        <textarea
          id="label-note"
          ref={note}
          rows={2}
          maxLength={2000}
          dir="auto"
          aria-describedby="label-note-help"
          value={labelling.note}
          onChange={({ target }) => labelling.setNote(target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
        />
        <div id="label-note-help" className="muted small">
          Your reason, stored with the label. Press Esc to leave the field and use the keys again.
        </div>
      </div>
    </section>
  );
}

/** Shown when all results are labelled or skipped: a summary of the labels. */
function LabellingDone({ labelling, judge }: { labelling: Labelling; judge: string }) {
  const { skips, labelled, hasSteps, undo, again } = labelling;
  const calibration = useQuery({ ...calibrationQuery({ judge }), staleTime: 0 });
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
                Undo <kbd className={css.key}>u</kbd>
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
