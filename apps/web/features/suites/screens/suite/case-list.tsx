import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { toText } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useRefusal } from '../../../../api/session';
import { casesQuery, type StoredCase } from '../../api/suites';
import { Empty } from '../../../../ui/empty';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserLine } from '../../../../ui/user-text';
import { useDebounced } from '../../../../ui/debounced';
import { Skeleton } from '../../../../ui/skeleton';
import { TextFilter } from '../../../../ui/text-filter';
import { expectedOf, promptOf, tagsOf } from './case-rows';
import { Table } from '../../../../ui/table';
import { MoreButton } from '../../../../ui/more-button';

const route = getRouteApi('/signed-in/suites/$suiteId');

export function CaseList({ suite: { id, test_cases_count: count } }: { suite: Suite }) {
  const { text = '' } = route.useSearch();
  const settled = useDebounced(text);
  const cases = useInfiniteQuery(casesQuery(id, settled));
  const read = cases.data?.pages.flatMap(({ items }) => items) ?? [];
  const isLooking = settled !== text || cases.isPlaceholderData;
  return (
    <section aria-labelledby="cases" className="cases">
      <div className="head">
        <h2 id="cases">
          {count.toLocaleString('en')} {count === 1 ? 'case' : 'cases'}
        </h2>
        <AddCase suiteId={id} />
      </div>
      {cases.isPending && <Skeleton rows={6} />}
      {cases.isError && <ErrorNotice error={cases.error} retry={cases.refetch} />}
      {cases.data && text === '' && !isLooking && read.length === 0 && (
        <Empty>No cases yet. A case is a request to a model, and the call that is right.</Empty>
      )}
      {(count > 0 || text !== '') && <CaseFilter text={text} />}
      {read.length > 0 && <CaseTable suiteId={id} cases={read} />}
      <p role="status" className="muted">
        {text !== '' && (isLooking ? 'Searching.' : foundInWords(read.length, cases.hasNextPage))}
      </p>
      <MoreButton of={cases}>{text === '' ? 'More cases' : 'Search more cases'}</MoreButton>
    </section>
  );
}

const foundInWords = (count: number, isMore: boolean): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'case contains' : 'cases contain'} the text` +
  `${isMore ? ' so far; there are more cases to search' : ''}.`;

function AddCase({ suiteId }: { suiteId: string }) {
  const refusal = useRefusal('editor');
  if (refusal !== undefined)
    return (
      <button type="button" disabled title={refusal}>
        Add a case
      </button>
    );
  return (
    <Link to="/suites/$suiteId/cases/new" params={{ suiteId }} className="button">
      Add a case
    </Link>
  );
}

function CaseFilter({ text }: { text: string }) {
  const navigate = route.useNavigate();
  const change = (typed: string) => void navigate({ search: typed === '' ? {} : { text: typed }, replace: true });
  return <TextFilter label="Filter by text" text={text} change={change} />;
}

const CaseTable = ({ suiteId, cases }: { suiteId: string; cases: StoredCase[] }) => (
  <Table
    label="Cases"
    className="case-table"
    rows={cases}
    keyOf={({ id }) => id}
    columns={[
      { name: '#', isNumber: true, className: 'muted', cell: ({ position }) => position + 1 },
      {
        name: 'Prompt',
        className: 'prompt',
        cell: (stored) => (
          <>
            <Link to="/suites/$suiteId/cases/$caseId" params={{ suiteId, caseId: stored.id }}>
              <UserLine text={toText(stored.name ?? '') || promptOf(stored) || 'Case without a prompt'} />
            </Link>
            {stored.name != null && (
              <span className="small muted">
                <UserLine text={promptOf(stored)} />
              </span>
            )}
          </>
        ),
      },
      { name: 'Expected', className: 'expected', cell: (stored) => <UserLine text={expectedOf(stored)} /> },
      {
        name: 'Tags',
        className: 'tags small',
        cell: (stored) => <UserLine text={[...tagsOf(stored), ...marksOf(stored)].join(', ')} />,
      },
    ]}
  />
);

/** Marks of special cases. */
const marksOf = ({ draft, multi_turn }: StoredCase): string[] => [
  ...(draft === true ? ['draft'] : []),
  ...(multi_turn === true ? ['chain'] : []),
];
