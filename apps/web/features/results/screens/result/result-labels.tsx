import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Label, LabelName } from '#lib/contracts/label';
import { useAction } from '../../../../api/action';
import { deleteLabel, labelsOfResultQuery, putLabel, refreshLabels } from '../../../judge/api';
import { useRefusal } from '../../../../api/session';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { JudgementMark } from '../../../judge/parts/judgement';
import { LabelButtons } from '../../../judge/parts/label-buttons';
import { count } from '../../../../ui/score';
import { Skeleton } from '../../../../ui/skeleton';
import { Time } from '../../../../ui/time';
import { Folded } from '../../../../ui/folded';

interface Props {
  runId: string;
  resultId: string;
}

/** People's labels of a result. Those of others are collapsed, so that they do not bias the user. */
export function ResultLabels({ runId, resultId }: Props) {
  const { data, error, isPending, refetch } = useQuery(labelsOfResultQuery({ runId, resultId }));
  if (isPending) return <Skeleton rows={2} />;
  if (!data) return <ErrorNotice error={error} retry={refetch} />;
  const mine = data.items.find((label) => label.mine);
  const others = data.items.filter((label) => label !== mine);
  return (
    <>
      <OwnLabel key={mine?.updated_at} {...{ runId, resultId, mine }} />
      {others.length > 0 && (
        <Folded title={`Labels of others (${count(others.length)})`}>
          {() => (
            <ul className="same-case">
              {others.map((label) => (
                <li key={label.user}>
                  <OthersLabel label={label} />
                </li>
              ))}
            </ul>
          )}
        </Folded>
      )}
    </>
  );
}

const OthersLabel = ({ label: { label, note, user, updated_at: at } }: { label: Label }) => (
  <>
    <span className="actions">
      <JudgementMark word={label} /> <UserText text={user} max={100} />{' '}
      <span className="muted small">
        <Time at={at} />
      </span>
    </span>
    {note !== null && <UserText text={note} />}
  </>
);

function OwnLabel({ runId, resultId, mine }: Props & { mine: Label | undefined }) {
  const refusal = useRefusal('editor');
  const [note, setNote] = useState(mine?.note ?? '');
  const refresh = (): Promise<void> => refreshLabels(runId);
  const save = useAction(putLabel, refresh);
  const remove = useAction(deleteLabel, refresh);
  const isPending = save.isPending || remove.isPending;
  const error = save.error ?? remove.error;
  const send = (label: LabelName): void => save.mutate({ runId, resultId, label, note: note.trim() || null });
  return (
    <div className="fields">
      <div className="actions" role="group" aria-label="Your label">
        <LabelButtons choose={send} isPending={isPending} chosen={mine?.label} refusal={refusal} />
        {mine && (
          <button
            type="button"
            className="plain"
            disabled={isPending || refusal !== undefined}
            onClick={() => remove.mutate({ runId, resultId })}
          >
            Remove label
          </button>
        )}
        <span role="status" className="muted small">
          {mine ? `Your label: ${mine.label}.` : 'Not labelled by you yet.'}
        </span>
      </div>
      <div className="field">
        <label htmlFor="own-note">Note</label>
        <textarea
          id="own-note"
          rows={2}
          maxLength={2000}
          dir="auto"
          readOnly={refusal !== undefined}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      </div>
      {mine && note.trim() !== (mine.note ?? '') && (
        <div>
          <button type="button" disabled={isPending} onClick={() => send(mine.label)}>
            Save the note
          </button>
        </div>
      )}
      {error && <ErrorNotice error={error} />}
    </div>
  );
}
