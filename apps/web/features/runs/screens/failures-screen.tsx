import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { FailureGroups } from '#lib/contracts/run-facets';
import type { Run } from '#lib/contracts/run';
import type { ErrorType } from '#lib/contracts/verdict';
import { ERROR_WORDS } from '../../results/address';
import { failureGroupsQuery } from '../api/counted';
import { Counted, useCounted } from '../parts/counted';
import { Empty } from '../../../ui/empty';
import { FailureGroupRows, openWords } from '../parts/failure-group-rows';
import { FilterChoice } from '../../../ui/filter-choice';
import { OfRun } from '../parts/of-run';
import { RunInHeading } from '../parts/run-link';
import { count } from '../../../ui/score';
import { GroupSample } from './group-sample';

const ROUTE = '/signed-in/runs/$runId/failures';

/** Failure groups, and a random sample of one of them. */
export function FailuresScreen() {
  const { runId } = useParams({ from: ROUTE });
  const { type, rescore } = useSearch({ from: ROUTE });
  return (
    <OfRun runId={runId}>
      {(run) => (
        <>
          <Head run={run} type={type} rescore={rescore} />
          <Counted run={run} query={failureGroupsQuery(runId, type, rescore)} rows={12}>
            {(groups) => <GroupList run={run} groups={groups} />}
          </Counted>
        </>
      )}
    </OfRun>
  );
}

interface HeadProps {
  run: Run;
  type: ErrorType | undefined;
  rescore: string | undefined;
}

function Head({ run, type, rescore }: HeadProps) {
  const navigate = useNavigate();
  const all = useCounted(run, failureGroupsQuery(run.id, undefined, rescore));
  const types = new Set(all?.items.map(({ error_type: one }) => one));
  if (type) types.add(type);
  const choose = (chosen: string | undefined): void =>
    void navigate({
      to: '/runs/$runId/failures',
      params: { runId: run.id },
      search: { rescore, type: chosen as ErrorType | undefined },
    });
  return (
    <div className="head">
      <h1>
        Failure groups of <RunInHeading run={run} rescore={rescore} />
      </h1>
      <span className="actions">
        <FilterChoice
          label="Error"
          none="all errors"
          choices={[...types].map((one) => [one, ERROR_WORDS[one]] as const)}
          value={type}
          choose={choose}
        />
      </span>
    </div>
  );
}

function GroupList({ run, groups: { items, others, targets } }: { run: Run; groups: FailureGroups }) {
  const { group: chosen, seed = 1, ...search } = useSearch({ from: ROUTE });
  const { type, rescore } = search;
  const params = { runId: run.id };
  const group = items.find(({ id }) => id === chosen);
  if (items.length === 0)
    return (
      <Empty
        action={
          <Link to="/runs/$runId" params={params} className="button">
            To the run
          </Link>
        }
      >
        {type ? `No result has the error "${ERROR_WORDS[type]}".` : 'No failures: every result passed.'}
      </Empty>
    );
  return (
    <>
      {chosen !== undefined && !group && (
        <p className="notice">This group no longer exists: results have been counted again since.</p>
      )}
      {group && <GroupSample key={`${group.id} ${seed}`} {...{ run, group, seed, search, targets }} />}
      <section className="section" aria-label="Groups">
        <FailureGroupRows
          runId={run.id}
          rescore={rescore}
          groups={items}
          chosen={chosen}
          link={({ id, count: n }) => (
            <Link to="/runs/$runId/failures" params={params} search={{ ...search, group: id, seed: 1 }}>
              {openWords(n)}
            </Link>
          )}
        />
        {others.groups > 0 && (
          <p className="muted small">
            {count(others.results)} more results are in {count(others.groups)} smaller groups that are not listed.
          </p>
        )}
      </section>
    </>
  );
}
