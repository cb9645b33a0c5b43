import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Run } from '#lib/contracts/run';
import type { FailureGroups } from '#lib/contracts/run-facets';
import { Empty } from '../../../ui/empty';
import { Head } from '../../../ui/head';
import { FilterChoice } from '../../../ui/filters';
import { ERROR_WORDS } from '../../results/filter-words';
import { failuresSearch } from '../address';
import { failureGroupsQuery, runQuery } from '../api';
import { Counted, useCounted } from '../parts/counted';
import { branchesOf } from '../parts/failure-branches';
import { FailureTree } from '../parts/failure-tree';
import css from '../parts/failure-tree.module.css';
import { runInTitle, trailOfRun } from '../parts/run-link';
import { RunTabs } from '../parts/run-tabs';
import { GroupSample } from './group-sample';

const ROUTE = '/signed-in/runs/$runId/failures';

/** Failure groups, and a random sample of one of them. */
export function FailuresScreen() {
  const { runId } = useParams({ from: ROUTE });
  const { type, rescore } = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const all = useCounted(run, failureGroupsQuery(runId, undefined, rescore));
  const types = new Set(all?.items.map(({ error_type: one }) => one));
  if (type) types.add(type);
  return (
    <>
      <Head
        title={`Failure groups of ${runInTitle(run, rescore)}`}
        trail={trailOfRun(run)}
        actions={
          <FilterChoice
            label="Error"
            none="all errors"
            choices={[...types].map((one) => [one, ERROR_WORDS[one]])}
            value={type}
            choose={(chosen) =>
              void navigate({
                to: '/runs/$runId/failures',
                params: { runId },
                search: failuresSearch({ rescore, type: chosen }),
              })
            }
          />
        }
      />
      <RunTabs runId={runId} rescore={rescore} />
      <Counted run={run} query={failureGroupsQuery(runId, type, rescore)} rows={12}>
        {(groups) => <GroupList run={run} groups={groups} />}
      </Counted>
    </>
  );
}

function GroupList({ run, groups }: { run: Run; groups: FailureGroups }) {
  const { group: chosen, seed = 1, ...search } = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const { type } = search;
  const { items, targets } = groups;
  const branches = useMemo(() => branchesOf(groups), [groups]);
  const group = items.find(({ id }) => id === chosen) ?? items[0];
  if (!group)
    return (
      <Empty
        action={
          <Link to="/runs/$runId" params={{ runId: run.id }} className="button">
            To the run
          </Link>
        }
      >
        {type ? `No result has the error "${ERROR_WORDS[type]}".` : 'No failures: every result passed.'}
      </Empty>
    );
  return (
    <>
      {chosen !== undefined && group.id !== chosen && (
        <p className="notice">This group no longer exists: results have been counted again since.</p>
      )}
      <div className={`section ${css.split}`}>
        <section aria-label="Groups">
          <FailureTree
            key={type}
            label="Failures by cause"
            branches={branches}
            targets={targets}
            chosen={group.id}
            choose={({ id }) =>
              void navigate({
                to: '/runs/$runId/failures',
                params: { runId: run.id },
                search: { ...search, group: id, seed: 1 },
                resetScroll: false,
              })
            }
          />
        </section>
        <div className={css.pane}>
          <GroupSample
            key={`${group.id} ${seed}`}
            isChosen={group.id === chosen}
            {...{ run, group, seed, search, targets }}
          />
        </div>
      </div>
    </>
  );
}
