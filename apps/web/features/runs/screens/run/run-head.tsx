import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import { count } from '../../../../ui/amounts';
import { Chip } from '../../../../ui/chip';
import { useExport } from '../../../../ui/export-as';
import { Head } from '../../../../ui/head';
import { ErrorNotice } from '../../../../ui/notices';
import { Status } from '../../../../ui/status';
import { duration, Time } from '../../../../ui/time';
import { UserBlock, UserText } from '../../../../ui/user-text';
import { experimentQuery } from '../../../experiments/api';
import { usePin } from '../../../experiments/parts/pin-baseline';
import { AddSamplesDialog } from '../../parts/add-samples';
import { LabelRun } from '../../parts/label-run';
import { RunDelete } from '../../parts/run-delete';
import { RunTabs } from '../../parts/run-tabs';
import { RunActions } from './run-actions';
import { RunMenu, type RunDialog } from './run-menu';
import { RunRescore } from './run-rescore';

/** The head of a run's screens: its name, its state in one line, what can be done with it, and its other screens. */
export function RunHead({ run }: { run: Run }) {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<RunDialog>();
  const file = useExport();
  const pin = usePinRun(run);
  const close = (): void => setDialog(undefined);
  return (
    <section className="section" aria-label="The run">
      <Head
        title={run.name ?? run.suite.name}
        trail={TRAIL}
        status={<StatusLine run={run} />}
        actions={<RunActions run={run} />}
        menu={<RunMenu run={run} open={setDialog} pin={pin.start} save={file.start} />}
      />
      {file.state}
      {pin.error && <ErrorNotice error={pin.error} />}
      {run.note !== null && <UserBlock text={run.note} />}
      <RunTabs runId={run.id} />
      {dialog === 'label' && <LabelRun run={run} close={close} />}
      {dialog === 'samples' && <AddSamplesDialog run={run} close={close} />}
      {dialog === 'rescore' && <RunRescore run={run} close={close} />}
      {dialog === 'delete' && <RunDelete run={run} close={close} onDone={() => navigate({ to: '/runs' })} />}
    </section>
  );
}

/** Makes the run the baseline of its experiment, which its menu has read when it offers that. */
function usePinRun({ id: evalId, name, suite, experiment_id }: Run) {
  const id = experiment_id ?? '';
  const { data } = useQuery({ ...experimentQuery(id), enabled: false });
  const { mutate, error } = usePin({ id, baseline_eval_id: data?.baseline_eval_id ?? null });
  return { start: () => mutate({ evalId, name: (name ?? suite.name).slice(0, 60) }), error };
}

const TRAIL = [{ to: '/runs' as const, label: 'Runs' }];

function StatusLine({ run }: { run: Run }) {
  const { status, counts, suite, experiment_id: experiment, created_at: created, finished_at: finished } = run;
  const parts: ReactNode[] = [
    <Status key="status" status={status} />,
    counts.settled < counts.total && (
      <Chip key="part" kind="partial">
        {count(counts.settled)} of {count(counts.total)} results
      </Chip>
    ),
    <span key="suite">
      <Link to="/runs" search={{ suite: suite.id }}>
        <UserText text={suite.name} max={200} />
      </Link>
      , version {suite.version}
    </span>,
    experiment !== null && (
      <Link key="experiment" to="/experiments/$experimentId" params={{ experimentId: experiment }}>
        <UserText text={run.experiment_name ?? 'Experiment'} max={200} />
      </Link>
    ),
    <span key="when">
      <Time at={created} />
      {run.submitted_by !== null && (
        <>
          {' '}
          by <UserText text={run.submitted_by} max={100} />
        </>
      )}
    </span>,
    finished !== null && (
      <span key="took">took {duration(new Date(finished).getTime() - new Date(created).getTime())}</span>
    ),
  ];
  return parts;
}
