import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { LabelDraw, LabelName } from '#lib/contracts/label';
import { useAction } from '../../../../api/action';
import { deleteLabel, labelQueueQuery, putLabel, refreshLabels, type QueueFilter } from '../../labels';
import { EMPTY_LABELLING, remaining, skipCount, undoneOnce, withoutSkips, withStep } from './labelling';

/** How many results are drawn at once. */
const DRAWN = 10;
const MAX_DRAWN = 50;

/** What is labelled: results of a run, or all that a judge has judged. */
export type Labelled = Pick<QueueFilter, 'run' | 'judge'>;

const resultOf = ({ eval_id: runId, result }: LabelDraw) => ({ runId, resultId: result.id });

/** The results to label, one after the other, with the labels given so far. */
export function useLabelQueue(of: Labelled) {
  const [{ number, limit }, ask] = useState({ number: 0, limit: DRAWN });
  const queue = useQuery(labelQueueQuery({ ...of, limit, draw: number }));
  const [done, setDone] = useState(EMPTY_LABELLING);
  const [since, setSince] = useState(0);
  const [note, setNote] = useState('');
  const [said, setSaid] = useState('');
  const left = remaining(queue.data?.items ?? [], done);
  const current = left[0];

  const step = (label: LabelName | null, words: string): void => {
    if (!current) return;
    const next = withStep(done, { draw: current, label, note });
    setDone(next);
    setNote('');
    setSaid(`${words}${left.length > 1 ? ' Next result.' : ''}`);
    if (left.length > 1) return void (label !== null && setSince(since + 1));
    // Skipped results are drawn again, before new ones.
    ask({ number: number + 1, limit: Math.min(MAX_DRAWN, DRAWN + skipCount(next)) });
    setSince(0);
  };
  const save = useAction(putLabel, ({ label }, { runId }) => {
    step(label, `Labelled ${label}.`);
    void refreshLabels(runId);
  });
  const goBack = (): void => {
    setNote(done.steps.at(-1)?.note ?? '');
    setDone(undoneOnce(done));
  };
  const takeBack = useAction(deleteLabel, (_, { runId }) => {
    goBack();
    setSince(since - 1);
    setSaid('Label removed.');
    void refreshLabels(runId);
  });
  const isBusy = save.isPending || takeBack.isPending;
  return {
    queue,
    current,
    labelled: (queue.data?.labelled ?? 0) + since,
    skips: skipCount(done),
    hasSteps: done.steps.length > 0,
    isBusy,
    error: save.error ?? takeBack.error,
    note,
    setNote,
    said,
    label: (label: LabelName): void => {
      if (current && !isBusy) save.mutate({ ...resultOf(current), label, note: note.trim() || null });
    },
    skip: (): void => (isBusy ? undefined : step(null, 'Skipped.')),
    undo: (): void => {
      const last = done.steps.at(-1);
      if (!last || isBusy) return;
      if (last.label !== null) return takeBack.mutate(resultOf(last.draw));
      goBack();
      setSaid('Back to the skipped result.');
    },
    again: (): void => setDone(withoutSkips(done)),
  };
}
