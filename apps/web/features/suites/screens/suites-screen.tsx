import { useInfiniteQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { SuiteHead } from '#lib/contracts/suite';
import { useRefusal } from '../../../api/session';
import { useDebounced } from '../../../ui/debounced';
import { Empty } from '../../../ui/empty';
import { MoreButton } from '../../../ui/buttons';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count, percent } from '../../../ui/amounts';
import { Head } from '../../../ui/head';
import { Menu, MenuItem, MenuLink } from '../../../ui/menu';
import { isUnderWay, Status } from '../../../ui/status';
import { useHidden } from '../../../ui/undo';
import { Table, type Column } from '../../../ui/table';
import { TextFilter } from '../../../ui/filters';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { Against } from '../../runs/parts/against';
import { suitesQuery } from '../api';
import { DeleteSuite } from '../parts/delete-suite';
import css from './suites.module.css';

/** The list of suites. */
export function SuitesScreen() {
  const { name = '' } = useSearch({ from: '/signed-in/suites' });
  return (
    <>
      <Head
        title="Suites"
        actions={
          <>
            <Link to="/suites/new" className="button primary">
              New suite
            </Link>
            <Link to="/import" className="button">
              Import
            </Link>
          </>
        }
        menu={
          <MenuLink to="/import" search={{ from: 'example' }}>
            Example suite
          </MenuLink>
        }
      />
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
      <MoreButton of={suites}>More suites</MoreButton>
    </>
  );
}

const foundInWords = (n: number, isMore: boolean): string =>
  `${count(n)}${isMore ? ' or more suites match' : n === 1 ? ' suite matches' : ' suites match'}.`;

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
  const hidden = useHidden();
  const actions: Column<SuiteHead> = {
    name: 'Actions',
    isNameHidden: true,
    cell: (suite) => (
      <Menu label={`Actions of ${suite.name.slice(0, 80)}`}>
        <MenuLink to="/runs/new" search={{ suite: suite.id }}>
          Run
        </MenuLink>
        <MenuItem danger refusal={refusal} onSelect={() => setDeleted(suite)}>
          Delete
        </MenuItem>
      </Menu>
    ),
  };
  return (
    <>
      <Table
        label="Suites"
        className={css.suites}
        hasCards
        rows={suites.filter(({ id }) => !hidden.has(id))}
        keyOf={({ id }) => id}
        columns={[...COLUMNS, actions]}
      />
      {deleted && <DeleteSuite suite={deleted} close={() => setDeleted(undefined)} />}
    </>
  );
}

type LastRun = NonNullable<SuiteHead['last_run']>;

/** What the last run says: its best models, or how far it is. */
function LastScore({ run }: { run: LastRun | null }) {
  if (!run) return <span className="muted">not run yet</span>;
  const { best, status, counts: done } = run;
  return (
    <Link to="/runs/$runId" params={{ runId: run.id }}>
      {best && !isUnderWay(status) ? (
        <span title={best.targets.join(', ')}>
          {best.targets.length > 1 && `${count(best.targets.length)} tie, best `}
          {percent(best.score)}
        </span>
      ) : (
        <>
          <Status status={status} /> {count(done.settled)} of {count(done.total)}
        </>
      )}
    </Link>
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
  { name: 'Last run', cell: ({ last_run: run }) => <LastScore run={run} /> },
  { name: 'Change', cell: ({ last_run: run }) => run && <Against of={run} /> },
  { name: 'Ran', cell: ({ last_run: run }) => run && <Time at={run.finished_at ?? run.created_at} /> },
  { name: 'Cases', isNumber: true, cell: ({ test_cases_count: cases }) => count(cases) },
  { name: 'Tools', isNumber: true, onPhone: 'hidden', cell: ({ tools_count: tools }) => count(tools) },
];
