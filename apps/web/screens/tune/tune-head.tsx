import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ParamTune, TuneArm } from '#lib/contracts/param-tune';
import { jobQuery } from '../../api/jobs';
import { CopiedId } from '../../parts/copied-id';
import { Given } from '../../parts/given';
import { Money } from '../../parts/money';
import { count } from '../../parts/score';
import { isUnderWay, Status } from '../../parts/status';
import { duration, Time } from '../../parts/time';
import { Warnings } from '../../parts/warnings';
import { costOf } from './arm-list';
import { TuneActions } from './tune-actions';
import { TuneSettings } from './tune-settings';

export function TuneHead({ tune, arms }: { tune: ParamTune; arms: readonly TuneArm[] | undefined }) {
  return (
    <section className="section" aria-label="The tune">
      <div className="head">
        <h1>
          Tune of <Given text={tune.suite_name} max={200} />
        </h1>
        <TuneActions tune={tune} />
      </div>
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
          {count(tune.cases.tuning)} cases to tune on, {count(tune.cases.holdout)} held out
        </span>
        {arms && (
          <span>
            cost of the search {isUnderWay(tune.status) && 'so far '}
            <Money usd={costOf(arms)} />
          </span>
        )}
        <CopiedId id={tune.id} what="tune" />
      </div>
      <Stopped tune={tune} />
      <TuneSettings tune={tune} />
      <Warnings warnings={tune.notes} />
      {tune.promoted_eval_id !== null && (
        <p>
          <Link to="/runs/$runId" params={{ runId: tune.promoted_eval_id }}>
            The run of the winner in its experiment
          </Link>
        </p>
      )}
    </section>
  );
}

function Suite({ tune: { suite_id: suiteId, suite_name: name } }: { tune: ParamTune }) {
  if (suiteId === null) return <Given text={name} max={200} />;
  return (
    <Link to="/suites/$suiteId" params={{ suiteId }}>
      <Given text={name} max={200} />
    </Link>
  );
}

/** Why it has no answer, or not all of it. */
function Stopped({ tune: { status, job_id: jobId } }: { tune: ParamTune }) {
  const hasReason = !isUnderWay(status) && status !== 'completed';
  const { data } = useQuery({ ...jobQuery(jobId), enabled: hasReason });
  const reason = data?.error ?? data?.detail;
  if (!hasReason || reason == null) return null;
  return (
    <p className="notice">
      <Given text={reason} />
    </p>
  );
}
