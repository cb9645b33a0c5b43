import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { isObject, toText, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useRefusal } from '../../../api/session';
import { count } from '../../../ui/amounts';
import { useDebounced } from '../../../ui/debounced';
import { Empty } from '../../../ui/empty';
import { MoreButton } from '../../../ui/buttons';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Table, type Column } from '../../../ui/table';
import { TextFilter } from '../../../ui/filters';
import { useHidden } from '../../../ui/undo';
import { UserLine } from '../../../ui/user-text';
import { casesQuery, type StoredCase } from '../../cases/api';
import { CaseActions } from '../../cases/parts/case-actions';
import css from './suites.module.css';

/** The cases of a suite, or those that contain a text. */
export function CaseList({ suite: { id, test_cases_count: cases } }: { suite: Suite }) {
  const { text = '' } = useSearch({ from: '/signed-in/suites/$suiteId' });
  const navigate = useNavigate({ from: '/suites/$suiteId' });
  const change = (typed: string) => void navigate({ search: typed === '' ? {} : { text: typed }, replace: true });
  return (
    <section aria-labelledby="cases" className="section">
      <div className="head">
        <h2 id="cases">
          {count(cases)} {cases === 1 ? 'case' : 'cases'}
        </h2>
        <AddCase suiteId={id} />
      </div>
      {(cases > 0 || text !== '') && <TextFilter label="Search cases" text={text} change={change} />}
      <QueryBoundary rows={6}>
        <Cases suiteId={id} text={text} />
      </QueryBoundary>
    </section>
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

/** The cases with the typed text. Those of the one before stay until they are there. */
function Cases({ suiteId, text }: { suiteId: string; text: string }) {
  const shown = useDeferredValue(useDebounced(text));
  const cases = useSuspenseInfiniteQuery(casesQuery(suiteId, shown));
  const read = cases.data.pages.flatMap(({ items }) => items);
  const isLooking = shown !== text;
  const hidden = useHidden();
  const navigate = useNavigate({ from: '/suites/$suiteId' });
  const tagsColumn: Column<StoredCase> = {
    name: 'Category, tags',
    className: 'small',
    cell: (stored) => (
      <span className="actions">
        {labelsOf(stored).map((label) => (
          <button
            key={label}
            type="button"
            className="plain dense"
            title={`Show cases with ${label.slice(0, 80)}`}
            onClick={() => void navigate({ search: { text: label }, replace: true })}
          >
            <UserLine text={label} max={60} />
          </button>
        ))}
        {marksOf(stored)}
      </span>
    ),
  };
  const actions: Column<StoredCase> = {
    name: 'Actions',
    isNameHidden: true,
    cell: (stored) => <CaseActions suiteId={suiteId} stored={stored} />,
  };
  return (
    <>
      {text === '' && !isLooking && read.length === 0 && (
        <Empty>No cases yet. A case is a request to a model, and the call that is right.</Empty>
      )}
      {read.length > 0 && (
        <Table
          label="Cases"
          className={css.caseTable}
          hasCards
          rows={read.filter(({ id }) => !hidden.has(id))}
          keyOf={({ id }) => id}
          columns={[...COLUMNS, tagsColumn, actions]}
        />
      )}
      <p role="status" className="muted">
        {text !== '' && (isLooking ? 'Searching.' : foundInWords(read.length, cases.hasNextPage))}
      </p>
      <MoreButton of={cases}>{text === '' ? 'More cases' : 'Search more cases'}</MoreButton>
    </>
  );
}

const foundInWords = (found: number, isMore: boolean): string =>
  `${count(found)} ${found === 1 ? 'case contains' : 'cases contain'} the text` +
  `${isMore ? ' so far; there are more cases to search' : ''}.`;

const COLUMNS: Column<StoredCase>[] = [
  { name: '#', isNumber: true, className: 'muted', cell: ({ position }) => position + 1 },
  {
    name: 'Case',
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
  { name: 'Expected', cell: (stored) => <UserLine text={expectedOf(stored)} /> },
];

/** The prompt of a case, or its last user message. */
function promptOf({ prompt, messages }: StoredCase): string {
  if (typeof prompt === 'string') return prompt;
  if (!Array.isArray(messages)) return '';
  const last = messages.findLast((message) => isObject(message) && message.role === 'user');
  return isObject(last) ? toText(last.content) : '';
}

const names = (tool: Json | undefined): string =>
  Array.isArray(tool) ? tool.map((name) => toText(name)).join(' or ') : toText(tool);

/** "get_weather", "get_weather or get_forecast", "get_weather, then book", "no call". */
function expectedOf({ expected_calls: expected, call_order: order, expected_tool: tool }: StoredCase): string {
  if (Array.isArray(expected) && expected.length > 0) {
    const calls = expected.map((call) => (isObject(call) ? names(call.tool) : ''));
    return calls.join(order === 'strict' ? ', then ' : ' and ');
  }
  return names(tool) === 'null' ? 'no call' : names(tool) || 'no call';
}

/** The category and the tags of a case. */
const labelsOf = ({ category, tags }: StoredCase): string[] => [
  ...new Set([category, ...(Array.isArray(tags) ? tags : [])].flatMap((one) => (one == null ? [] : [toText(one)]))),
];

/** What is special about a case. */
const marksOf = ({ draft, multi_turn }: StoredCase): string =>
  [draft === true && 'draft', multi_turn === true && 'chain'].filter(Boolean).join(', ');
