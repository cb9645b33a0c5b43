import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SuiteHead } from '#lib/contracts/suite';
import { suitesQuery } from '../../api/suites';
import { useRefusal } from '../../api/session';
import { DeleteSuite } from '../../parts/delete-suite';
import { Empty } from '../../parts/empty';
import { Failed } from '../../parts/failed';
import { GivenLine } from '../../parts/given';
import { Score } from '../../parts/score';
import { useSettled } from '../../parts/settled';
import { Skeleton } from '../../parts/skeleton';
import { TextFilter } from '../../parts/text-filter';
import { Time } from '../../parts/time';
import './suites.css';

const route = getRouteApi('/signed-in/suites');

/** The list of suites. */
export function SuitesScreen() {
  const { name = '' } = route.useSearch();
  const settled = useSettled(name);
  const suites = useInfiniteQuery(suitesQuery(settled));
  const heads = suites.data?.pages.flatMap(({ items }) => items) ?? [];
  const isLooking = settled !== name || suites.isPlaceholderData;
  return (
    <>
      <header className="head">
        <h1>Suites</h1>
        <Ways />
      </header>
      {suites.isPending && <Skeleton rows={6} />}
      {suites.isError && <Failed error={suites.error} retry={suites.refetch} />}
      {suites.data && name === '' && !isLooking && heads.length === 0 && <NoSuite />}
      {(heads.length > 0 || name !== '') && <NameFilter name={name} />}
      {heads.length > 0 && <SuiteTable suites={heads} />}
      <p role="status" className="muted">
        {name !== '' && (isLooking ? 'Looking for the name.' : foundInWords(heads.length, suites.hasNextPage))}
      </p>
      {suites.hasNextPage && (
        <div>
          <button type="button" disabled={suites.isFetchingNextPage} onClick={() => void suites.fetchNextPage()}>
            Older suites
          </button>
        </div>
      )}
    </>
  );
}

const foundInWords = (count: number, isMore: boolean): string =>
  `${count.toLocaleString('en')}${isMore ? ' or more suites have' : count === 1 ? ' suite has' : ' suites have'} it ` +
  'in the name.';

/** Ways to create a suite. */
function Ways() {
  return (
    <div className="actions">
      <Link to="/suites/new" className="button primary">
        New suite
      </Link>
      <Link to="/import" className="button">
        Import
      </Link>
      <Link to="/import" search={{ from: 'example' }} className="button">
        Example
      </Link>
    </div>
  );
}

function NoSuite() {
  return (
    <Empty
      action={
        <>
          <Link to="/import" search={{ from: 'example' }} className="button">
            Take the example
          </Link>
          <Link to="/import" search={{ from: 'mcp' }} className="button">
            Ask an MCP server for its tools
          </Link>
        </>
      }
    >
      A suite holds tools, and cases that say which call would be right. There is none yet.
    </Empty>
  );
}

function NameFilter({ name }: { name: string }) {
  const navigate = route.useNavigate();
  const change = (typed: string) => void navigate({ search: typed === '' ? {} : { name: typed }, replace: true });
  return <TextFilter label="Filter by name" text={name} change={change} />;
}

function SuiteTable({ suites }: { suites: SuiteHead[] }) {
  const [deleted, setDeleted] = useState<SuiteHead>();
  return (
    <div className="wide" role="region" aria-label="Suites" tabIndex={0}>
      <table className="suites">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" className="number">
              Cases
            </th>
            <th scope="col" className="number">
              Tools
            </th>
            <th scope="col" className="number">
              Version
            </th>
            <th scope="col">Best of the last run</th>
            <th scope="col">
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {suites.map((suite) => (
            <SuiteRow key={suite.id} suite={suite} ask={() => setDeleted(suite)} />
          ))}
        </tbody>
      </table>
      {deleted && <DeleteSuite suite={deleted} close={() => setDeleted(undefined)} />}
    </div>
  );
}

function LastScore({ run }: { run: SuiteHead['last_run'] }) {
  if (!run) return 'not run yet';
  if (!run.top) return run.status;
  const { overall, overall_ci: ci, scored, errored } = run.top;
  return <Score mean={overall} ci={ci} scored={scored} errored={errored} />;
}

function SuiteRow({ suite, ask }: { suite: SuiteHead; ask: () => void }) {
  const refusal = useRefusal('editor');
  const { id, name, test_cases_count: cases, tools_count: tools, version, last_run: run } = suite;
  return (
    <tr>
      <th scope="row" className="name">
        <Link to="/suites/$suiteId" params={{ suiteId: id }}>
          <GivenLine text={name} />
        </Link>
      </th>
      <td className="number">{cases.toLocaleString('en')}</td>
      <td className="number">{tools}</td>
      <td className="number">{version}</td>
      <td>
        <LastScore run={run} />
        {run && (
          <div className="small muted">
            {run.top && <GivenLine text={run.top.target} />} <Time at={run.finished_at ?? run.created_at} />
          </div>
        )}
      </td>
      <td>
        <button
          type="button"
          className="plain dense"
          disabled={refusal !== undefined}
          title={refusal}
          onClick={ask}
          aria-label={`Delete the suite ${name.slice(0, 80)}`}
        >
          Delete
        </button>
      </td>
    </tr>
  );
}
