import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ParamTune } from '#lib/param-tune/contract';
import { CopiedId } from '../../../ui/copied-id';
import { UserText } from '../../../ui/user-text';
import { StopReason } from '../../jobs/parts/job-progress';
import { count } from '../../../ui/score';
import { Status } from '../../../ui/status';
import { duration, Time } from '../../../ui/time';

type Fields = 'id' | 'job_id' | 'status' | 'suite_id' | 'suite_name' | 'suite_version' | 'created_at' | 'finished_at';
type Tune = Pick<ParamTune, Fields> & { cases: { tuning: number; holdout: number } };

/** The state of a tune, its suite, and why its answer is missing or incomplete. */
export function TuneFacts({ tune, children }: { tune: Tune; children?: ReactNode }) {
  return (
    <>
      <div className="facts">
        <Status status={tune.status} />
        <span>
          Suite <Suite tune={tune} />, version {tune.suite_version}
        </span>
        <Time at={tune.created_at} />
        {tune.finished_at !== null && (
          <span>took {duration(new Date(tune.finished_at).getTime() - new Date(tune.created_at).getTime())}</span>
        )}
        <span>
          {count(tune.cases.tuning)} tuning cases, {count(tune.cases.holdout)} held out
        </span>
        {children}
        <CopiedId id={tune.id} what="tune" />
      </div>
      <StopReason work={tune} />
    </>
  );
}

function Suite({ tune: { suite_id: suiteId, suite_name: name } }: { tune: Tune }) {
  if (suiteId === null) return <UserText text={name} max={200} />;
  return (
    <Link to="/suites/$suiteId" params={{ suiteId }}>
      <UserText text={name} max={200} />
    </Link>
  );
}
