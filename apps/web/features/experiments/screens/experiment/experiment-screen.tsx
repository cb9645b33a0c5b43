import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Experiment } from '#lib/contracts/experiment';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { queryClient } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { CopiedId } from '../../../../ui/buttons';
import { ConfirmDialog } from '../../../../ui/dialog';
import { Head } from '../../../../ui/head';
import { Hint, Note } from '../../../../ui/hint';
import { MenuItem } from '../../../../ui/menu';
import { ErrorNotice, Notes } from '../../../../ui/notices';
import { count } from '../../../../ui/amounts';
import { undo } from '../../../../ui/undo';
import { UserBlock, UserText } from '../../../../ui/user-text';
import { RunLink } from '../../../runs/parts/run-link';
import { SuiteFact } from '../../../suites/parts/suite-name';
import { changeExperiment, deleteExperiment, experimentQuery, refreshExperiments } from '../../api';
import { BestConfiguration, RunScore } from './best-configuration';
import { EditDialog } from './edit-dialog';
import { ExperimentTimeline } from './experiment-timeline';
import { Standing } from './standing';

/** Whether scores have improved, and since when. */
export function ExperimentScreen() {
  const { experimentId } = useParams({ from: '/signed-in/experiments/$experimentId' });
  const { data: experiment } = useSuspenseQuery({ ...experimentQuery(experimentId), staleTime: 0 });
  return (
    <>
      <ExperimentHead key={experimentId} experiment={experiment} />
      <Standing experiment={experiment} />
      <ExperimentTimeline experiment={experiment} />
      <BestConfiguration experiment={experiment} />
    </>
  );
}

const TRAIL = [{ to: '/experiments', label: 'Experiments' }] as const;

function ExperimentHead({ experiment }: { experiment: Experiment }) {
  const { name, status, suite_id: suite, description, baseline_eval_id: from } = experiment;
  const [asked, ask] = useState<'edit' | 'delete'>();
  const { items, error } = useRareActions(experiment, ask);
  return (
    <>
      <Head
        title={name}
        trail={TRAIL}
        badge={status === 'archived' && <span className="status waiting">archived</span>}
        status={<Facts experiment={experiment} />}
        actions={
          <Link to="/runs/new" search={from === null ? { suite } : { from }} className="button primary">
            New run
          </Link>
        }
        menu={items}
      />
      {error && <ErrorNotice error={error} />}
      {description && <UserBlock text={description} />}
      {asked === 'edit' && <EditDialog experiment={experiment} close={() => ask(undefined)} />}
      {asked === 'delete' && <DeleteExperiment experiment={experiment} close={() => ask(undefined)} />}
    </>
  );
}

const pointsOf = (share: number): string => {
  const points = Number((share * 100).toFixed(4));
  return `${points} ${points === 1 ? 'point' : 'points'}`;
};

const SET_BY = { user: 'pinned', first_run: 'the first run' } as const;

function Facts({ experiment }: { experiment: Experiment }) {
  const { id, suite_id: suiteId, suite_name: suite, run_count: runs, measure, margin, comparisons } = experiment;
  const { baseline_eval_id: baseline, baseline_set_by: by, notes } = experiment;
  return (
    <>
      <SuiteFact suiteId={suiteId} name={suite} />
      <span>
        {count(runs)} {runs === 1 ? 'run' : 'runs'}
      </span>
      {baseline !== null && (
        <span>
          <Hint term="baseline">baseline</Hint> <RunLink runId={baseline} /> <RunScore runId={baseline} />
          {by && `, ${SET_BY[by]}`}
        </span>
      )}
      <span>
        <UserText text={measure} max={100} />, <Hint term="margin">margin</Hint> {pointsOf(margin)}
      </span>
      {comparisons.made > 0 && (
        <Hint term="false alarm">
          {count(comparisons.made)} {comparisons.made === 1 ? 'comparison' : 'comparisons'}
        </Hint>
      )}
      {notes.length > 0 && (
        <Note of={notes.length === 1 ? '1 caveat' : `${count(notes.length)} caveats`}>
          <Notes of={experiment} />
        </Note>
      )}
      <CopiedId id={id} what="experiment" />
    </>
  );
}

function useRareActions(experiment: Experiment, ask: (what: 'edit' | 'delete') => void) {
  const refusal = useRefusal('editor');
  const change = useAction(changeExperiment, refreshExperiments);
  const { id, status } = experiment;
  const setStatus = (next: Experiment['status']) => change.mutateAsync({ id, change: { status: next } });
  const archive = async (): Promise<void> => {
    await setStatus('archived');
    undo.offer({ text: 'Archived.', undo: () => setStatus('active') });
  };
  const items = (
    <>
      <MenuItem refusal={refusal} onSelect={() => ask('edit')}>
        Edit
      </MenuItem>
      {status === 'archived' ? (
        <MenuItem refusal={refusal} onSelect={() => void setStatus('active').catch(() => {})}>
          Reactivate
        </MenuItem>
      ) : (
        <MenuItem refusal={refusal} onSelect={() => void archive().catch(() => {})}>
          Archive
        </MenuItem>
      )}
      <MenuItem danger refusal={refusal} onSelect={() => ask('delete')}>
        Delete
      </MenuItem>
    </>
  );
  return { items, error: change.error };
}

/** It is deleted when it cannot be taken back any more. */
function DeleteExperiment({ experiment, close }: { experiment: Experiment; close: () => void }) {
  const { id, name, run_count: runs } = experiment;
  const navigate = useNavigate();
  const remove = useAction(deleteExperiment, async () => {
    queryClient.removeQueries({ queryKey: keys.experiment(id) });
    await refreshExperiments();
  });
  return (
    <ConfirmDialog
      title="Delete this experiment?"
      action="Delete the experiment"
      act={() => {
        close();
        undo.later({ text: 'Experiment deleted.', id, act: () => remove.mutateAsync(id) });
        void navigate({ to: '/experiments' });
      }}
      isPending={false}
      error={null}
      close={close}
    >
      <p>
        <UserText text={name} max={200} />
      </p>
      <p>
        Its {count(runs)} {runs === 1 ? 'run stays' : 'runs stay'}, and so do its tunes and judge reports. Comparisons
        with its baseline go, and gates that use the baseline lose it.
      </p>
    </ConfirmDialog>
  );
}
