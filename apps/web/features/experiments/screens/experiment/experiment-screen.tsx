import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Experiment } from '#lib/contracts/experiment';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { queryClient } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton, CopiedId } from '../../../../ui/buttons';
import { DeleteDialog } from '../../../../ui/dialog';
import { ErrorNotice, Notes } from '../../../../ui/notices';
import { count } from '../../../../ui/amounts';
import { UserBlock, UserText } from '../../../../ui/user-text';
import { RunLink } from '../../../runs/parts/run-link';
import { SuiteFact } from '../../../suites/parts/suite-name';
import { changeExperiment, deleteExperiment, experimentQuery, refreshExperiments } from '../../api';
import { BestConfiguration, RunLinks, RunScore } from './best-configuration';
import { EditDialog } from './edit-dialog';
import { ExperimentTimeline } from './experiment-timeline';

/** Whether scores have improved, and since when. */
export function ExperimentScreen() {
  const { experimentId } = useParams({ from: '/signed-in/experiments/$experimentId' });
  const { data: experiment } = useSuspenseQuery({ ...experimentQuery(experimentId), staleTime: 0 });
  return (
    <>
      <ExperimentHead key={experimentId} experiment={experiment} />
      <BestConfiguration experiment={experiment} />
      <ExperimentTimeline experiment={experiment} />
    </>
  );
}

function ExperimentHead({ experiment }: { experiment: Experiment }) {
  const { id, name, status, suite_id: suiteId, suite_name: suite, run_count: runs, measure, margin } = experiment;
  return (
    <section className="section" aria-label="The experiment">
      <div className="head">
        <h1>
          <UserText text={name} max={200} />
        </h1>
        <Actions experiment={experiment} />
      </div>
      <div className="facts">
        {status === 'archived' && <span className="status waiting">archived</span>}
        <SuiteFact suiteId={suiteId} name={suite} />
        <span>
          {count(runs)} {runs === 1 ? 'run' : 'runs'}
        </span>
        <span>
          compares <UserText text={measure} max={100} />, with a margin of {Number((margin * 100).toFixed(4))} points
        </span>
        <CopiedId id={id} what="experiment" />
      </div>
      {experiment.description && <UserBlock text={experiment.description} />}
      <Baseline experiment={experiment} />
      <FalseAlarms experiment={experiment} />
      {experiment.refreshing && (
        <p className="notice" role="status">
          Comparisons are being recomputed. This page updates when they are ready.
        </p>
      )}
      <Notes of={experiment} />
    </section>
  );
}

const SET_BY = { user: 'pinned', first_run: 'the first run that completed' } as const;

function Baseline({ experiment: { baseline_eval_id: runId, baseline_set_by: by } }: { experiment: Experiment }) {
  if (runId === null) return <p>No baseline yet. The first run to complete becomes the baseline.</p>;
  return (
    <p>
      Baseline: <RunLink runId={runId} /> <RunScore runId={runId} />
      {by && `, ${SET_BY[by]}`}.
    </p>
  );
}

/** Multiple comparisons find some differences by chance: how many to expect, and what remains after correction. */
function FalseAlarms({ experiment: { comparisons } }: { experiment: Experiment }) {
  const { made, expected_false_alarms: alarms, improved_after_correction: improved } = comparisons;
  if (made === 0) return null;
  return (
    <p>
      {count(made)} {made === 1 ? 'comparison' : 'comparisons'} with this baseline. If all runs were equal,{' '}
      {alarms.toFixed(2)} of them would be called better or worse by chance. Better after correction for multiple
      comparisons: {improved.length === 0 ? 'none' : <RunLinks runs={improved} />}.
    </p>
  );
}

function Actions({ experiment }: { experiment: Experiment }) {
  const refusal = useRefusal('editor');
  const [asked, ask] = useState<'edit' | 'delete'>();
  const change = useAction(changeExperiment, refreshExperiments);
  const { id, status, suite_id: suite, baseline_eval_id: from } = experiment;
  const next = status === 'archived' ? 'active' : 'archived';
  return (
    <div>
      <div className="actions">
        <Link to="/runs/new" search={from === null ? { suite } : { from }} className="button">
          New run
        </Link>
        <AllowedButton refusal={refusal} onClick={() => ask('edit')}>
          Edit
        </AllowedButton>
        <AllowedButton
          refusal={refusal}
          disabled={change.isPending}
          title={status === 'archived' ? undefined : 'Hides it from lists and accepts no new runs'}
          onClick={() => change.mutate({ id, change: { status: next } })}
        >
          {status === 'archived' ? 'Reactivate' : 'Archive'}
        </AllowedButton>
        <AllowedButton refusal={refusal} onClick={() => ask('delete')}>
          Delete
        </AllowedButton>
      </div>
      {change.isError && <ErrorNotice error={change.error} />}
      {asked === 'edit' && <EditDialog experiment={experiment} close={() => ask(undefined)} />}
      {asked === 'delete' && <DeleteExperiment experiment={experiment} close={() => ask(undefined)} />}
    </div>
  );
}

function DeleteExperiment({ experiment, close }: { experiment: Experiment; close: () => void }) {
  const { id, name, run_count: runs } = experiment;
  const navigate = useNavigate();
  const { isPending, error, mutate } = useAction(deleteExperiment, async () => {
    close();
    await navigate({ to: '/experiments' });
    queryClient.removeQueries({ queryKey: keys.experiment(id) });
    await refreshExperiments();
  });
  return (
    <DeleteDialog
      title="Delete this experiment?"
      action="Delete the experiment"
      act={() => mutate(id)}
      {...{ isPending, error, close }}
    >
      <p>
        <UserText text={name} max={200} />
      </p>
      <p>
        Its {count(runs)} {runs === 1 ? 'run stays' : 'runs stay'}, and so do its tunes and judge reports. Their
        comparisons with the baseline are deleted, and gates that use its baseline lose it. This cannot be undone.
      </p>
    </DeleteDialog>
  );
}
