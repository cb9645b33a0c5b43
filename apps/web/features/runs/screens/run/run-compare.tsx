import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { useKeys } from '../../../../ui/keys';
import { isUnderWay } from '../../../../ui/status';
import { relativeTime } from '../../../../ui/time';
import { visible } from '../../../../ui/user-text';
import { experimentQuery } from '../../../experiments/api';
import { runsQuery } from '../../api';
import { runName } from '../../parts/run-link';
import { comparedWith } from './compared-with';

/** How many of the suite's newest runs are offered. */
const OFFERED = 20;

/** A link to the comparison with another run, for whether a difference can be trusted. */
export function RunCompare({ run }: { run: Run }) {
  const navigate = useNavigate();
  const runs = useQuery(runsQuery({ suite: run.suite.id, limit: OFFERED }));
  const experiment = useQuery({
    ...experimentQuery(run.experiment_id ?? ''),
    enabled: run.experiment_id !== null,
  });
  const others = (runs.data?.items ?? []).filter(
    ({ id, status, summaries }) => id !== run.id && !isUnderWay(status) && summaries.length > 0,
  );
  const baseline = experiment.data?.baseline_eval_id ?? undefined;
  const other = run.experiment_id !== null && experiment.isPending ? undefined : comparedWith(run, others, baseline);
  const to = (id: string) => ({ to: '/compare' as const, search: { runs: [id, run.id] } });
  useKeys({ c: () => other !== undefined && void navigate(to(other)) });
  if (other === undefined) return null;
  return (
    <>
      <Link {...to(other)} className="button" title="c">
        Compare
      </Link>
      {others.length > 1 && (
        <select
          aria-label="Compare with"
          className="bounded"
          value=""
          onChange={({ target }) => target.value && void navigate(to(target.value))}
        >
          <option value="">Compare with ...</option>
          {others.map((one) => (
            <option key={one.id} value={one.id}>
              {visible(runName(one).slice(0, 100))}, {relativeTime(new Date(one.created_at))}
              {one.id === baseline && ' (baseline)'}
            </option>
          ))}
        </select>
      )}
    </>
  );
}
