import { hashKey, useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { isObject, toText } from '#lib/contracts/json/json';
import type { CaseLabels, Suite } from '#lib/contracts/suite';
import { useRefusal } from '../../../api/session';
import { count } from '../../../ui/amounts';
import { useDebounced } from '../../../ui/debounced';
import { Empty } from '../../../ui/empty';
import { MoreButton } from '../../../ui/buttons';
import { naturalOrder } from '../../../ui/natural-order';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Table, type Column } from '../../../ui/table';
import { FilterChoice, TextFilter } from '../../../ui/filters';
import { useHidden } from '../../../ui/undo';
import { UserLine, visible } from '../../../ui/user-text';
import { casesQuery, type CaseFilter, type ListedCase, type StoredCase } from '../../cases/api';
import { CaseActions } from '../../cases/parts/case-actions';
import { expectedTools } from '../../cases/parts/case-value';
import { caseLabelsQuery } from '../api';
import { LastRunNote, LastVerdicts } from '../parts/last-verdicts';
import css from './suites.module.css';

/** The cases of a suite, or those that the address asks for. */
export function CaseList({ suite: { id, test_cases_count: cases } }: { suite: Suite }) {
  const search = useSearch({ from: '/signed-in/suites/$suiteId' });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <section aria-labelledby="cases" className="section">
      <div className="head">
        <h2 id="cases">
          {count(cases)} {cases === 1 ? 'case' : 'cases'}
        </h2>
        <AddCase suiteId={id} />
      </div>
      {(cases > 0 || isFiltered) && <CaseFilters suiteId={id} />}
      <QueryBoundary rows={6}>
        <Cases suiteId={id} isFiltered={isFiltered} />
      </QueryBoundary>
    </section>
  );
}

function useChange() {
  const navigate = useNavigate({ from: '/suites/$suiteId' });
  return (changed: CaseFilter) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
}

function CaseFilters({ suiteId }: { suiteId: string }) {
  const { text = '', tag, category, failed } = useSearch({ from: '/signed-in/suites/$suiteId' });
  const change = useChange();
  const { data: labels } = useQuery(caseLabelsQuery(suiteId));
  const choices = (all: CaseLabels['tags'] = []) =>
    all
      .toSorted((one, other) => naturalOrder(one.name, other.name))
      .map(({ name, cases }) => [name, `${visible(name.slice(0, 60))} (${count(cases)})`] as const);
  return (
    <div className={`actions ${css.filters}`}>
      <TextFilter label="Search cases" text={text} change={(typed) => change({ text: typed || undefined })} />
      {(category !== undefined || labels?.categories.length !== 0) && (
        <FilterChoice
          label="Category"
          choices={choices(labels?.categories)}
          value={category}
          choose={(chosen) => change({ category: chosen })}
        />
      )}
      {(tag !== undefined || labels?.tags.length !== 0) && (
        <FilterChoice
          label="Tag"
          choices={choices(labels?.tags)}
          value={tag}
          choose={(chosen) => change({ tag: chosen })}
        />
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={failed === true}
          onChange={({ target }) => change({ failed: target.checked || undefined })}
        />
        Failed last time
      </label>
    </div>
  );
}

function AddCase({ suiteId }: { suiteId: string }) {
  const refusal = useRefusal('editor');
  return refusal === undefined ? (
    <Link to="/suites/$suiteId/cases/new" params={{ suiteId }} className="button">
      Add a case
    </Link>
  ) : (
    <button type="button" disabled title={refusal}>
      Add a case
    </button>
  );
}

/** The cases that are asked for. Those of the filter before stay until they are there. */
function Cases({ suiteId, isFiltered }: { suiteId: string; isFiltered: boolean }) {
  const search = useSearch({ from: '/signed-in/suites/$suiteId' });
  const text = useDebounced(search.text);
  const asked = casesQuery(suiteId, { ...search, text });
  const key = hashKey(asked.queryKey);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- a query is what its key says, and made for each rendering
  const shown = useDeferredValue(useMemo(() => asked, [key]));
  const cases = useSuspenseInfiniteQuery(shown);
  const read = cases.data.pages.flatMap(({ items }) => items);
  const isLooking = search.text !== text || hashKey(shown.queryKey) !== key;
  const hidden = useHidden();
  const change = useChange();
  const lastRun = read.find(({ last_run: run }) => run)?.last_run;
  const columns: Column<ListedCase>[] = [
    ...COLUMNS,
    {
      name: 'Last run',
      head: lastRun && <LastRunNote run={lastRun} />,
      cell: ({ last_run: run }) => run && <LastVerdicts models={run.models} />,
    },
    {
      name: 'Category, tags',
      className: 'small',
      onPhone: 'hidden',
      cell: (stored) => <Labels of={stored} change={change} />,
    },
    {
      name: 'Actions',
      isNameHidden: true,
      cell: (stored) => <CaseActions suiteId={suiteId} stored={stored} />,
    },
  ];
  return (
    <>
      {!isFiltered && !isLooking && read.length === 0 && (
        <Empty>No cases yet. A case is a request to a model, and the call that is right.</Empty>
      )}
      {read.length > 0 && (
        <Table
          label="Cases"
          className={css.caseTable}
          hasCards
          rows={read.filter(({ id }) => !hidden.has(id))}
          keyOf={({ id }) => id}
          columns={columns}
        />
      )}
      <p role="status" className="muted">
        {isFiltered && (isLooking ? 'Searching.' : foundInWords(read.length, cases.hasNextPage, search.text))}
      </p>
      <MoreButton of={cases}>{search.text ? 'Search more cases' : 'More cases'}</MoreButton>
    </>
  );
}

/** The category and the tags of a case, each of which filters the list. */
function Labels({ of, change }: { of: StoredCase; change: (filter: CaseFilter) => void }) {
  const { category, tags } = of;
  const ofCategory = category == null ? [] : [toText(category)];
  const ofTags = (Array.isArray(tags) ? tags.map((tag) => toText(tag)) : []).filter((tag) => !ofCategory.includes(tag));
  const label = (name: string, filter: CaseFilter) => (
    <button
      key={name}
      type="button"
      className="plain dense"
      title={`Show cases with ${name.slice(0, 80)}`}
      onClick={() => change(filter)}
    >
      <UserLine text={name} max={60} />
    </button>
  );
  return (
    <span className="actions">
      {ofCategory.map((name) => label(name, { category: name }))}
      {ofTags.map((name) => label(name, { tag: name }))}
      {marksOf(of)}
    </span>
  );
}

function foundInWords(found: number, isMore: boolean, text: string | undefined): string {
  if (!text) return found === 0 ? 'No cases match.' : '';
  const words = `${count(found)} ${found === 1 ? 'case contains' : 'cases contain'} the text`;
  return `${words}${isMore ? ' so far; there are more cases to search' : ''}.`;
}

const COLUMNS: Column<ListedCase>[] = [
  { name: '#', isNumber: true, className: 'muted', onPhone: 'hidden', cell: ({ position }) => position + 1 },
  {
    name: 'Case',
    onPhone: 'title',
    cell: (stored) => (
      <Link
        from="/suites/$suiteId"
        to="/suites/$suiteId/cases/$caseId"
        params={{ caseId: stored.id }}
        title={promptOf(stored).slice(0, 300)}
      >
        <UserLine text={toText(stored.name ?? '') || promptOf(stored) || 'Case without a prompt'} />
      </Link>
    ),
  },
  { name: 'Expected', cell: (stored) => <UserLine text={expectedTools(stored)} /> },
];

/** The prompt of a case, or its last user message. */
function promptOf({ prompt, messages }: StoredCase): string {
  if (typeof prompt === 'string') return prompt;
  if (!Array.isArray(messages)) return '';
  const last = messages.findLast((message) => isObject(message) && message.role === 'user');
  return isObject(last) ? toText(last.content) : '';
}

/** What is special about a case. */
const marksOf = ({ draft, multi_turn }: StoredCase): string =>
  [draft === true && 'draft', multi_turn === true && 'chain'].filter(Boolean).join(', ');
