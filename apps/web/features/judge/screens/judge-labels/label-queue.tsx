import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { LabelDraw } from '#lib/contracts/label';
import { Bar } from '../../../../ui/bar';
import { Calls } from '../../../results/parts/calls';
import { Conversation } from '../../../results/parts/conversation';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { useKeys } from '../../../../ui/keys';
import { LABEL_KEYS, LabelButtons } from '../../parts/label-buttons';
import { count } from '../../../../ui/score';
import { Skeleton } from '../../../../ui/skeleton';
import { LabellingDone } from './labelling-done';
import { useLabelQueue } from './use-label-queue';

interface Props {
  run: string | undefined;
  judge: string | undefined;
}

/** One result at a time. The judge's opinion is hidden, so that it does not bias the labels. */
export function LabelQueue({ run, judge }: Props) {
  const labelling = useLabelQueue({ run, judge });
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

interface ProgressProps {
  judge: string;
  labelled: number;
  asked: number;
}

const Progress = ({ judge, labelled, asked }: ProgressProps) => (
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

interface LabelFormProps {
  labelling: ReturnType<typeof useLabelQueue>;
  note: React.RefObject<HTMLTextAreaElement | null>;
}

function LabelForm({ labelling, note }: LabelFormProps) {
  const { isBusy, hasSteps } = labelling;
  return (
    <section aria-label="Your label" className="answer">
      <p>Does the reply serve the user, regardless of what the case expects?</p>
      <div className="actions">
        <LabelButtons choose={labelling.label} isPending={isBusy} hasKeys />
        <button type="button" disabled={isBusy} aria-keyshortcuts="s" onClick={labelling.skip}>
          Skip <kbd>s</kbd>
        </button>
        <button type="button" disabled={isBusy || !hasSteps} aria-keyshortcuts="u" onClick={labelling.undo}>
          Undo <kbd>u</kbd>
        </button>
      </div>
      <div className="field">
        <label htmlFor="label-note">
          Note <kbd>n</kbd>
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
