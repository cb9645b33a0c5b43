import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { GateRun } from '#lib/gate/contract';
import { gateQuery, gateRunQuery } from '../api';
import { LiveGate } from '../live';
import { useLive, useRefreshOnEvents } from '../../../live/use-live';
import { CopiedId } from '../../../ui/buttons';
import { GateAnswerView } from '../parts/gate-answer';
import { GateResult } from '../parts/gate-result';
import { Looks } from '../parts/look-picture';
import { count } from '../../../ui/amounts';
import { Folded } from '../../../ui/details';
import { Head } from '../../../ui/head';
import { RunLink } from '../../runs/parts/run-link';
import { isUnderWay, Status } from '../../../ui/status';
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
      <RunHead run={run} />
      {live && isUnderWay(run.status) && (
        <JobProgress work={run} live={live} label="Results of the gate run" unit="results of this look" />
      )}
      <StopReason work={run} />
      {run.result && (
        <section aria-labelledby="answer" className="section">
          <h2 id="answer">Decision</h2>
          <GateAnswerView answer={run.result}>
            <Looks run={run} answer={run.result} />
          </GateAnswerView>
        </section>
      )}
      <CreatedRuns run={run} />
    </>
  );
}

function RunHead({ run }: { run: GateRun }) {
  const { data: gate } = useQuery(gateQuery(run.gate_id));
  const name = gate?.name ?? run.result?.gate.name ?? 'gate';
  return (
    <section className="section" aria-label="The gate run">
      <Head
        title={`Run of gate ${name}`}
        trail={[
          { to: '/gates', label: 'Gates' },
          { to: '/gates/$gateId', params: { gateId: run.gate_id }, label: name },
        ]}
        badge={run.result ? <GateResult result={run.result.result} /> : <Status status={run.status} />}
        status={
          <>
            {run.result && run.status !== 'completed' && <Status status={run.status} />}
            <span>version {run.gate_version}</span>
            <Time at={run.created_at} />
            {run.finished_at !== null && (
              <span>took {duration(new Date(run.finished_at).getTime() - new Date(run.created_at).getTime())}</span>
            )}
            <CopiedId id={run.id} what="gate run" />
          </>
        }
        actions={<WorkActions work={run} />}
      />
    </section>
  );
}

const MAX_RUNS = 50;

function CreatedRuns({ run: { runs } }: { run: GateRun }) {
  if (runs.length === 0) return null;
  return (
    <Folded title={`${count(runs.length)} ${runs.length === 1 ? 'run' : 'runs'} made`}>
      {() => (
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
      )}
    </Folded>
  );
}
