import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { GateRun } from '#lib/gate/contract';
import { gateQuery, gateRunQuery } from '../api';
import css from '../parts/gates.module.css';
import { LiveGate } from '../live';
import { useLive, useRefreshOnEvents } from '../../../live/use-live';
import { CopiedId } from '../../../ui/buttons';
import { GateAnswerView } from '../parts/gate-answer';
import { GateResult } from '../parts/gate-result';
import { UserText } from '../../../ui/user-text';
import { RunLink } from '../../runs/parts/run-link';
import { isUnderWay, Status } from '../../../ui/status';
import { Table } from '../../../ui/table';
import { duration, Time } from '../../../ui/time';
import { JobProgress, StopReason } from '../../jobs/parts/job-progress';
import { WorkActions } from '../../jobs/parts/work-actions';

/** A gate's decision, or what would help if it is inconclusive. */
export function GateRunScreen() {
  const { gateId, gateRunId } = useParams({ from: '/signed-in/gates/$gateId/runs/$gateRunId' });
  const { data: run } = useSuspenseQuery({ ...gateRunQuery(gateId, gateRunId), staleTime: 0 });
  const live = useLive(LiveGate, isUnderWay(run.status) ? run.job_id : undefined);
  useRefreshOnEvents(gateRunId, live);
  return (
    <>
      <Head run={run} />
      {live && isUnderWay(run.status) && (
        <JobProgress work={run} live={live} label="Results of the gate run" unit="results of this look" />
      )}
      <StopReason work={run} />
      {run.result && (
        <section aria-labelledby="answer" className="section">
          <h2 id="answer">Decision</h2>
          <GateAnswerView answer={run.result} />
        </section>
      )}
      <Looks run={run} />
      <CreatedRuns run={run} />
    </>
  );
}

function Head({ run }: { run: GateRun }) {
  const { data: gate } = useQuery(gateQuery(run.gate_id));
  return (
    <section className="section" aria-label="The gate run">
      <div className="head">
        <h1>
          Run of gate{' '}
          <Link to="/gates/$gateId" params={{ gateId: run.gate_id }}>
            <UserText text={gate?.name ?? run.result?.gate.name ?? 'gate'} max={100} />
          </Link>
        </h1>
        <WorkActions work={run} />
      </div>
      <div className="facts">
        {run.result && <GateResult result={run.result.result} />}
        <Status status={run.status} />
        <span>gate version {run.gate_version}</span>
        <Time at={run.created_at} />
        {run.finished_at !== null && (
          <span>took {duration(new Date(run.finished_at).getTime() - new Date(run.created_at).getTime())}</span>
        )}
        <CopiedId id={run.id} what="gate run" />
      </div>
    </section>
  );
}

/** The decision at each look. All looks together have the error rate of a single one. */
function Looks({ run: { looks } }: { run: GateRun }) {
  if (looks.length === 0) return null;
  return (
    <section aria-labelledby="looks" className="section">
      <h2 id="looks">Looks</h2>
      <Table
        label="Result of each look"
        rows={looks}
        keyOf={({ look }) => look}
        columns={[
          { name: 'Look', isNumber: true, cell: ({ look }) => look },
          {
            name: 'Samples per case: baseline, run',
            cell: ({ samples }) => samples.map((some) => Number(some.toFixed(2))).join(', '),
          },
          { name: 'Result', cell: ({ result }) => <GateResult result={result} /> },
          { name: 'Explanation', className: css.says, cell: ({ text }) => <UserText text={text} /> },
        ]}
      />
    </section>
  );
}

const MAX_RUNS = 50;

function CreatedRuns({ run: { runs } }: { run: GateRun }) {
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="made" className="section">
      <h2 id="made">Runs created by it</h2>
      <ul>
        {runs.slice(0, MAX_RUNS).map(({ eval_id: runId, step, arm }) => (
          <li key={runId}>
            <RunLink runId={runId} />{' '}
            <span className="muted small">
              {step}, {arm}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
