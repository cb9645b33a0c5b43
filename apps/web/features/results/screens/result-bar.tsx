import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type KeyboardEvent } from 'react';
import type { Label, LabelName } from '#lib/contracts/label';
import type { ResultNote } from '#lib/contracts/result-note';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../api/action';
import { useRefusal } from '../../../api/session';
import { useKeys } from '../../../ui/keys';
import { ErrorNotice } from '../../../ui/notices';
import { Time } from '../../../ui/time';
import { undo } from '../../../ui/undo';
import { UserText } from '../../../ui/user-text';
import { labelsOfResultQuery } from '../../judge/api';
import { deleteLabel, putLabel, refreshLabels } from '../../judge/labels';
import { LABEL_KEYS, LabelButtons } from '../../judge/parts/label-buttons';
import { KeyButton } from '../../judge/parts/key-button';
import type { ResultWithExchange } from '../api';
import { showNote, writeNote } from '../notes';
import css from './results.module.css';

/** Its form has an editor of JSON, which few results need. */
const MendExpectation = lazy(async () => ({
  default: (await import('../../cases/parts/mend-expectation')).MendExpectation,
}));

interface BarProps {
  run: Pick<Run, 'id' | 'suite'>;
  result: ResultWithExchange;
}

/** What people do with a result, by one key each. */
export function ResultBar({ run, result }: BarProps) {
  const refusal = useRefusal('editor');
  const label = useOwnLabel(run.id, result);
  const [shown, show] = useState<'note' | 'mend'>();
  const close = (): void => show(undefined);
  const makeCase = useMakeCase(run, result.id);
  const isScored = result.outcome === 'scored';
  const acts: Act[] = [
    { key: 'm', words: 'Note', act: () => show('note') },
    ...(isScored
      ? [
          { key: 's', words: 'New case', title: 'Make a case of it, which expects what was called', act: makeCase },
          { key: 'e', words: 'Expectation', title: 'Correct the expectation', act: () => show('mend') },
        ]
      : []),
  ];
  const labelKeys = label ? LABEL_KEYS.map(([name, key]) => [key, () => label.choose(name)] as const) : [];
  const all = [...labelKeys, ...acts.map(({ key, act }) => [key, act] as const)];
  useKeys(refusal === undefined ? Object.fromEntries(all) : {});
  return (
    <>
      <div className={css.bar} role="group" aria-label="Actions">
        {label && (
          <span role="group" aria-label="Your label">
            <LabelButtons
              choose={label.choose}
              isPending={label.isPending}
              chosen={label.mine?.label ?? null}
              refusal={refusal}
            />
          </span>
        )}
        {acts.map(({ key, words, title, act }) => (
          <KeyButton key={key} of={key} title={refusal ?? title} disabled={refusal !== undefined} onClick={act}>
            {words}
          </KeyButton>
        ))}
        {refusal !== undefined && <span className="muted small">{refusal}</span>}
      </div>
      {shown === 'mend' && (
        <Suspense>
          <MendExpectation {...{ result, run, close }} />
        </Suspense>
      )}
      {label?.error && <ErrorNotice error={label.error} />}
      {shown === 'note' ? (
        <NoteEditor runId={run.id} {...{ result, close }} />
      ) : (
        result.note && <TeamNote note={result.note} />
      )}
    </>
  );
}

interface Act {
  key: string;
  words: string;
  title?: string;
  act: () => void;
}

/** Opens the form of a new case like that of a result. */
function useMakeCase({ id, suite }: BarProps['run'], resultId: string): () => void {
  const navigate = useNavigate();
  return () =>
    void navigate({
      to: '/suites/$suiteId/cases/new',
      params: { suiteId: suite.id },
      search: { run: id, result: resultId },
    });
}

const TeamNote = ({ note: { text, user, updated_at: at } }: { note: ResultNote }) => (
  <p className={css.note}>
    <UserText text={text} />
    <span className="muted small">
      {user !== null && <UserText text={user} max={100} />} <Time at={at} />
    </span>
  </p>
);

interface OwnLabel {
  mine: Label | undefined;
  choose: (label: LabelName) => void;
  isPending: boolean;
  error: Error | null;
}

/** The user's label of a result; choosing it again withdraws it. Undefined where there is no reply to label. */
function useOwnLabel(runId: string, { id, outcome }: ResultWithExchange): OwnLabel | undefined {
  const of = { runId, resultId: id };
  const { data } = useQuery({ ...labelsOfResultQuery(of), enabled: outcome === 'scored' });
  const refresh = (): Promise<void> => refreshLabels(runId);
  const save = useAction(putLabel, refresh);
  const remove = useAction(deleteLabel, refresh);
  if (outcome === 'errored') return undefined;
  const mine = data?.items.find((label) => label.mine);
  const isPending = data === undefined || save.isPending || remove.isPending;
  const withdraw = ({ label, note }: Label): void =>
    remove.mutate(of, {
      onSuccess: () => undo.offer({ text: 'Label removed.', undo: () => save.mutateAsync({ ...of, label, note }) }),
    });
  return {
    mine,
    isPending,
    error: save.error ?? remove.error,
    choose: (label) => {
      if (isPending) return;
      if (mine?.label === label) withdraw(mine);
      else save.mutate({ ...of, label, note: mine?.note ?? null });
    },
  };
}

interface NoteProps {
  runId: string;
  result: ResultWithExchange;
  close: () => void;
}

/** The team's note on a result. An empty one is removed. */
function NoteEditor({ runId, result: { id, note }, close }: NoteProps) {
  const [text, setText] = useState(note?.text ?? '');
  const save = useAction(writeNote, (written, input) => {
    showNote(input, written);
    close();
  });
  const submit = (): void => {
    const next = text.trim();
    if (next === (note?.text ?? '')) close();
    else save.mutate({ runId, resultId: id, text: next });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        aria-label="Note for the team"
        rows={3}
        maxLength={2000}
        dir="auto"
        autoFocus
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="actions">
        <button type="submit" className="dense" disabled={save.isPending}>
          Save
        </button>
        <button type="button" className="dense plain" onClick={close}>
          Cancel
        </button>
        <span className="muted small">Everybody in the team sees it.</span>
      </div>
      {save.error && <ErrorNotice error={save.error} />}
    </form>
  );
}
