import { useInfiniteQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { SuiteHead } from '#lib/contracts/suite';
import { useRefusal } from '../../../api/session';
import { useDebounced } from '../../../ui/debounced';
import { Empty } from '../../../ui/empty';
import { MoreButton } from '../../../ui/buttons';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Score } from '../../../ui/amounts';
import { Table, type Column } from '../../../ui/table';
import { TextFilter } from '../../../ui/filters';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { suitesQuery } from '../api';
import { DeleteSuite } from './suite-head';
import css from './suites.module.css';

/** The list of suites. */
export function SuitesScreen() {
  const { name = '' } = useSearch({ from: '/signed-in/suites' });
  return (
    <>
      <header className="head">
        <h1>Suites</h1>
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
      </header>
      <NameFilter name={name} />
      <QueryBoundary rows={6}>
        <Suites name={name} />
      </QueryBoundary>
    </>
  );
}

/** Absent where it is known that there is nothing to filter. */
function NameFilter({ name }: { name: string }) {
  const navigate = useNavigate({ from: '/suites' });
  const { data } = useInfiniteQuery({ ...suitesQuery(''), enabled: name === '' });
  const change = (typed: string) => void navigate({ search: typed === '' ? {} : { name: typed }, replace: true });
  if (name === '' && data?.pages[0]?.items.length === 0) return null;
  return <TextFilter label="Filter by name" text={name} change={change} />;
}

/** The suites of the typed name. Those of the one before stay until they are there. */
function Suites({ name }: { name: string }) {
  const shown = useDeferredValue(useDebounced(name));
  const suites = useSuspenseInfiniteQuery(suitesQuery(shown));
  const heads = suites.data.pages.flatMap(({ items }) => items);
  const isLooking = shown !== name;
  return (
    <>
      {name === '' && !isLooking && heads.length === 0 && <NoSuite />}
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

const NoSuite = () => (
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

function SuiteTable({ suites }: { suites: SuiteHead[] }) {
  const [deleted, setDeleted] = useState<SuiteHead>();
  const refusal = useRefusal('editor');
  const actions: Column<SuiteHead> = {
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
  };
  return (
    <>
      <Table
        label="Suites"
        className={css.suites}
        rows={suites}
        keyOf={({ id }) => id}
        columns={[...COLUMNS, actions]}
      />
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

const COLUMNS: Column<SuiteHead>[] = [
  {
    name: 'Name',
    isHeading: true,
    className: css.name,
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
];
