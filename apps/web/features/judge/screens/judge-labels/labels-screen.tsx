import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, type RefObject } from 'react';
import type { LabelDraw } from '#lib/contracts/label';
import { useRefusal } from '../../../../api/session';
import { Bar } from '../../../../ui/status';
import { Empty } from '../../../../ui/empty';
import { ErrorNotice } from '../../../../ui/notices';
import { useKeys } from '../../../../ui/keys';
import { count } from '../../../../ui/amounts';
import { Head } from '../../../../ui/head';
import { QueryBoundary, Skeleton } from '../../../../ui/query-boundary';
import { UserText } from '../../../../ui/user-text';
import { Calls } from '../../../results/parts/calls';
import { Conversation } from '../../../results/parts/conversation';
import { ModelName } from '../../../providers/parts/model-name';
import { WithJudge } from '../../parts/with-judge';
import css from '../../parts/judge.module.css';
import { LABEL_KEYS, LabelButtons } from '../../parts/label-buttons';
import { useLabelQueue, type Labelled } from './use-label-queue';

const TRAIL = [{ to: '/judge', label: 'Judge' }] as const;

/** People label results that a judge has judged, so that the two can be compared. */
export function LabelsScreen() {
  const { eval: run, judge } = useSearch({ from: '/signed-in/judge/labels' });
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  return (
    <>
      <Head
        title="Label results"
        trail={TRAIL}
        actions={
          <Link to="/judge/calibration" search={{ judge }} className="button">
            Calibration
          </Link>
        }
      />
      {refusal === undefined ? (
        <QueryBoundary rows={12}>
          <WithJudge
            judge={judge}
            choose={(chosen) => void navigate({ to: '/judge/labels', search: { eval: run, judge: chosen } })}
          >
            <LabelQueue key={`${run} ${judge}`} run={run} judge={judge} />
          </WithJudge>
        </QueryBoundary>
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
        for <ModelName target={judge} />
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
      <p>Does the reply serve the user?</p>
      <div className="actions">
        <LabelButtons choose={labelling.label} isPending={isBusy} />
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
          Esc leaves the field.
        </div>
      </div>
    </section>
  );
}

/** Shown when all results are labelled or skipped: a summary of the labels. */
function LabellingDone({ labelling, judge }: { labelling: Labelling; judge: string }) {
  const { skips, labelled, hasSteps, undo, again } = labelling;
  return (
    <>
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
  if (skips > 0) return `Nothing else is left: ${count(skips)} ${skips === 1 ? 'was' : 'were'} skipped.`;
  if (labelled > 0) return 'All results are labelled.';
  return 'Nothing to label yet: this judge has judged nothing with its settings of now.';
}
