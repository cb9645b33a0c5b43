import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SuiteHead } from '#lib/contracts/suite';
import { suitesQuery } from '../api/suites';
import { useRefusal } from '../../../api/session';
import { DeleteSuite } from '../parts/delete-suite';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserLine } from '../../../ui/user-text';
import { Score } from '../../../ui/score';
import { useDebounced } from '../../../ui/debounced';
import { Skeleton } from '../../../ui/skeleton';
import { TextFilter } from '../../../ui/text-filter';
import { Time } from '../../../ui/time';
import { Table, type Column } from '../../../ui/table';
import { MoreButton } from '../../../ui/more-button';
import './suites.css';

const route = getRouteApi('/signed-in/suites');

/** The list of suites. */
export function SuitesScreen() {
  const { name = '' } = route.useSearch();
  const settled = useDebounced(name);
  const suites = useInfiniteQuery(suitesQuery(settled));
  const heads = suites.data?.pages.flatMap(({ items }) => items) ?? [];
  const isLooking = settled !== name || suites.isPlaceholderData;
  return (
    <>
      <header className="head">
        <h1>Suites</h1>
        <NewSuiteLinks />
      </header>
      {suites.isPending && <Skeleton rows={6} />}
      {suites.isError && <ErrorNotice error={suites.error} retry={suites.refetch} />}
      {suites.data && name === '' && !isLooking && heads.length === 0 && <NoSuite />}
      {(heads.length > 0 || name !== '') && <NameFilter name={name} />}
      {heads.length > 0 && <SuiteTable suites={heads} />}
      <p role="status" className="muted">
        {name !== '' && (isLooking ? 'Searching.' : foundInWords(heads.length, suites.hasNextPage))}
      </p>
      <MoreButton of={suites}>Older suites</MoreButton>
    </>
  );
}

const foundInWords = (n: number, isMore: boolean): string =>
  `${n.toLocaleString('en')}${isMore ? ' or more suites match' : n === 1 ? ' suite matches' : ' suites match'}.`;

/** Ways to create a suite. */
function NewSuiteLinks() {
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
            Use the example
          </Link>
          <Link to="/import" search={{ from: 'mcp' }} className="button">
            Import tools from an MCP server
          </Link>
        </>
      }
    >
      No suites yet. A suite holds tools, and cases that say which call is right.
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
  const refusal = useRefusal('editor');
  const columns: Column<SuiteHead>[] = [
    {
      name: 'Name',
      isHeading: true,
      className: 'name',
      cell: ({ id, name }) => (
        <Link to="/suites/$suiteId" params={{ suiteId: id }}>
          <UserLine text={name} />
        </Link>
      ),
    },
    { name: 'Cases', isNumber: true, cell: ({ test_cases_count: cases }) => cases.toLocaleString('en') },
    { name: 'Tools', isNumber: true, cell: ({ tools_count: tools }) => tools },
    { name: 'Version', isNumber: true, cell: ({ version }) => version },
    { name: 'Best of the last run', cell: ({ last_run: run }) => <LastScore run={run} /> },
    {
      name: 'Actions',
      isNameHidden: true,
      cell: (suite) => (
        <button
          type="button"
          className="plain dense"
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => setDeleted(suite)}
          aria-label={`Delete the suite ${suite.name.slice(0, 80)}`}
        >
          Delete
        </button>
      ),
    },
  ];
  return (
    <>
      <Table label="Suites" className="suites" rows={suites} keyOf={({ id }) => id} columns={columns} />
      {deleted && <DeleteSuite suite={deleted} close={() => setDeleted(undefined)} />}
    </>
  );
}

function LastScore({ run }: { run: SuiteHead['last_run'] }) {
  if (!run) return 'not run yet';
  const { top, status, finished_at: finished, created_at: created } = run;
  return (
    <>
      {top ? <Score mean={top.overall} ci={top.overall_ci} scored={top.scored} errored={top.errored} /> : status}
      <div className="small muted">
        {top && <UserLine text={top.target} />} <Time at={finished ?? created} />
      </div>
    </>
  );
}
