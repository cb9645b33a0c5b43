import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { ChevronDown, Icon } from '../../../../ui/icons';
import { useKeys } from '../../../../ui/keys';
import { Menu, MenuLink } from '../../../../ui/menu';
import { isUnderWay } from '../../../../ui/status';
import { relativeTime } from '../../../../ui/time';
import { UserLine } from '../../../../ui/user-text';
import { experimentQuery } from '../../../experiments/api';
import { runsQuery } from '../../api';
import { runName } from '../../parts/run-link';
import { comparedWith } from './compared-with';
import css from './run.module.css';

/** How many of the suite's newest runs are offered. */
const OFFERED = 20;

/** Comparisons with other runs of the suite: the baseline or the run before first. Its key is `c`. */
export function RunCompare({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { first, others } = useOthers(run);
  const to = (id: string) => ({ to: '/compare' as const, search: { runs: [id, run.id] } });
  useKeys({ c: () => first !== undefined && void navigate(to(first)) });
  return (
    <span className={css.compare}>
      {first === undefined ? (
        <button type="button" disabled title="No other run of the suite has figures">
          Compare
        </button>
      ) : (
        <Link {...to(first)} className="button" title="c">
          Compare
        </Link>
      )}
      <Menu
        label="Compare with another run"
        button={
          <>
            <Icon of={ChevronDown} />
            <span className="unseen">Compare with another run</span>
          </>
        }
      >
        {others.map((one) => (
          <MenuLink key={one.id} {...to(one.id)}>
            <UserLine text={runName(one)} max={100} />
            <span className="small muted">{relativeTime(new Date(one.created_at))}</span>
          </MenuLink>
        ))}
        {others.length === 0 && <p className="muted">No other run of the suite.</p>}
      </Menu>
    </span>
  );
}

/** The runs of the suite that this one can be compared with, and the one that it should be. */
function useOthers(run: Run): { first: string | undefined; others: Run[] } {
  const runs = useQuery(runsQuery({ suite: run.suite.id, limit: OFFERED }));
  const experiment = useQuery({
    ...experimentQuery(run.experiment_id ?? ''),
    enabled: run.experiment_id !== null,
    retry: false,
  });
  const others = (runs.data?.items ?? []).filter(
    ({ id, status, summaries }) => id !== run.id && !isUnderWay(status) && summaries.length > 0,
  );
  const baseline = run.against?.run.id ?? experiment.data?.baseline_eval_id ?? undefined;
  return { first: comparedWith(run, others, baseline), others };
}
