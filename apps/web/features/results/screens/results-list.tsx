import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { Run } from '#lib/contracts/run';
import { DataRows, type Column } from '../../../ui/data-rows';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/notices';
import { useKeys } from '../../../ui/keys';
import { count } from '../../../ui/amounts';
import { Skeleton } from '../../../ui/query-boundary';
import { UserLine, visible } from '../../../ui/user-text';
import { ModelName, useModelNames } from '../../providers/parts/model-name';
import type { ModelNames } from '../../providers/parts/model-names';
import { facetsQuery } from '../../runs/api';
import { useCounted } from '../../runs/parts/counted';
import type { ResultsSearch } from '../address';
import { filterParts } from '../filter-words';
import type { Result } from '../api';
import { Differs } from '../parts/differs';
import { Verdict, verdictOf, VerdictMark } from '../parts/verdict';
import { filteredTotal } from './facet-counts';
import { MAX_ROWS } from './pages';
import type { ListPlace } from './list-place';
import css from './results.module.css';
import { useResultRows, type ResultRows } from './use-result-rows';

/** "Model" and an ellipsis around what all names begin with. */
const PREFIX_WORDS = 7;

interface ListProps {
  run: Run;
  search: ResultsSearch;
  resultId: string | undefined;
  /** Called with the place of the opened result in the list. */
  onPlace: (place: ListPlace | undefined) => void;
}

/** The results of a filter, of which only the pages in view are loaded. One that is opened stands next to them. */
export function ResultsList({ run, search, resultId, onPlace }: ListProps) {
  const rows = useResultRows(run.id, search);
  const navigate = useNavigate();
  const grid = useRef<HTMLDivElement>(null);
  const [active, setActive] = useActiveRow(resultId, rows.indexOf);
  useFocusAfterReading(grid, resultId);
  const open = ({ id }: Result): void =>
    void navigate({ to: '/runs/$runId/results/$resultId', params: { runId: run.id, resultId: id }, search });
  const isReading = resultId !== undefined;
  const move = (index: number): void => {
    setActive(Math.max(0, Math.min(index, rows.count - 1)));
    grid.current?.focus();
  };
  const failure = (step: 1 | -1): number => {
    for (let index = active + step; index >= 0 && index < rows.count; index += step)
      if (rows.rowAt(index)?.passed === false) return index;
    return active;
  };
  const listKeys = {
    n: () => move(failure(1)),
    p: () => move(failure(-1)),
    j: () => move(active + 1),
    k: () => move(active - 1),
  };
  useKeys(isReading ? {} : listKeys);
  const targets = useMemo(() => run.targets.map(({ target }) => target), [run.targets]);
  const names = useModelNames(targets);
  const longest = Math.max(names.prefix.length + PREFIX_WORDS, ...targets.map((target) => names.of(target).length));
  const columns = columnsOf(run.id, search, { names, longest, isReading });
  const opened = isReading ? rows.indexOf(resultId) : undefined;
  const total = useTotal(run, search, rows);
  usePlaceOfOpened(opened, total, onPlace);
  if (rows.count === 0 && rows.error) return <ErrorNotice error={rows.error} retry={rows.retry} />;
  if (rows.count === 0 && !rows.isWhole) return <Skeleton rows={12} label="Loading results" />;
  if (rows.count === 0) return <NoRows run={run} search={search} />;
  return (
    <>
      <DataRows
        label="Results"
        columns={columns}
        count={rows.count}
        isMore={!rows.isWhole}
        rowAt={rows.rowAt}
        active={active}
        opened={opened}
        activate={setActive}
        open={open}
        onWindow={rows.setWindow}
        gridRef={grid}
      />
      {rows.error && <ErrorNotice error={rows.error} retry={rows.retry} />}
      <RowsRead rows={rows} total={total} />
    </>
  );
}

/** The number of results of the filter; undefined while it is not known. */
function useTotal(run: Run, search: ResultsSearch, rows: ResultRows): number | undefined {
  const facets = useCounted(run, facetsQuery(run.id, search.rescore));
  return rows.isWhole ? rows.count : facets && filteredTotal(facets, search);
}

function usePlaceOfOpened(opened: number | undefined, total: number | undefined, onPlace: ListProps['onPlace']): void {
  useEffect(() => {
    onPlace(opened === undefined || opened < 0 ? undefined : { position: opened + 1, total });
  }, [opened, total, onPlace]);
}

/** Number of rows loaded, of the total; beyond the last row that a list shows, the facets have to narrow it down. */
function RowsRead({ rows, total }: { rows: ResultRows; total: number | undefined }) {
  const inAll = total === undefined ? '' : ` of ${count(total)}`;
  return (
    <p className="muted small" role="status">
      {rows.isFull && !rows.isWhole
        ? `These are the first ${count(MAX_ROWS)}${inAll} results of this filter${inAll ? '' : '; there are more'}. ` +
          'Choose an error, a model or a category to see the others.'
        : `${count(rows.count)}${rows.isWhole ? '' : inAll} ${rows.count === 1 ? 'result' : 'results'}` +
          `${rows.isWhole ? '' : ' so far; more load as you scroll'}.`}
    </p>
  );
}

function NoRows({ run, search }: { run: Run; search: ResultsSearch }) {
  const isFiltered = filterParts(search).length > 0;
  const [to, words] = isFiltered
    ? (['/runs/$runId/results', 'Remove the filters'] as const)
    : (['/runs/$runId', 'To the run'] as const);
  const none =
    run.finished_at === null ? 'No results yet.' : 'The run ended without results. See the run for the reason.';
  return (
    <Empty
      action={
        <Link className="button" to={to} params={{ runId: run.id }}>
          {words}
        </Link>
      }
    >
      {isFiltered ? 'No results match these filters.' : none}
    </Empty>
  );
}

/** The row that keys move from: the last one opened or moved to. */
function useActiveRow(resultId: string | undefined, indexOf: (id: string) => number) {
  const [active, setActive] = useState(0);
  const [followed, setFollowed] = useState<string>();
  if (resultId !== undefined && resultId !== followed) {
    const index = indexOf(resultId);
    if (index >= 0) {
      setFollowed(resultId);
      setActive(index);
    }
  }
  return [active, setActive] as const;
}

/** Returns the focus to the list when the user comes back from a result. */
function useFocusAfterReading(grid: RefObject<HTMLDivElement | null>, resultId: string | undefined): void {
  const before = useRef(resultId);
  useEffect(() => {
    if (before.current !== undefined && resultId === undefined) grid.current?.focus({ preventScroll: true });
    before.current = resultId;
  }, [resultId, grid]);
}

interface ListColumns {
  names: ModelNames;
  /** Characters of the longest name. */
  longest: number;
  isReading: boolean;
}

/** The columns of a result row. Beside an opened result there is room for what tells one from another. */
const columnsOf = (
  runId: string,
  search: ResultsSearch,
  { names, longest, isReading }: ListColumns,
): Column<Result>[] => [
  {
    name: 'Verdict',
    track: isReading ? '24px' : '96px',
    isNameHidden: isReading,
    cell: (result) => (isReading ? <ShortVerdict of={result} /> : <Verdict of={result} />),
  },
  {
    name: 'Case',
    track: 'minmax(96px, 1fr)',
    cell: ({ id, case_name: name, prompt, sample, note }) => (
      <Link
        to="/runs/$runId/results/$resultId"
        params={{ runId, resultId: id }}
        search={search}
        tabIndex={-1}
        onClick={(event) => event.stopPropagation()}
      >
        {note && <NoteMark note={note} />}
        <UserLine text={`${name ?? prompt}${sample ? ` #${sample + 1}` : ''}`} />
      </Link>
    ),
  },
  {
    name: 'What differs',
    track: isReading ? 'minmax(120px, 1.6fr)' : 'minmax(144px, 2.5fr)',
    cell: (result) => <Differs result={result} />,
  },
  {
    name: `Model ${names.prefix && `${names.prefix}…`}`.trim(),
    track: `${CHARACTER_PX * Math.max(LEAST_NAME, Math.min(longest + 1, isReading ? MOST_BESIDE : MOST_NAME))}px`,
    cell: ({ target }) => <ModelName target={target} of={names} />,
  },
  ...(isReading ? [] : [SCORE]),
];

const [LEAST_NAME, MOST_BESIDE, MOST_NAME] = [10, 15, 28];
/** The head has smaller characters, so that a width in characters would not be the same in it. */
const CHARACTER_PX = 8;

/** A verdict as its mark; its word is for screen readers. */
function ShortVerdict({ of }: { of: Result }) {
  const word = verdictOf(of);
  return (
    <span title={word}>
      <VerdictMark word={word} />
      <span className="unseen">{word}</span>
    </span>
  );
}

const NoteMark = ({ note: { text } }: { note: NonNullable<Result['note']> }) => (
  <span className={css.noted} role="img" aria-label="noted" title={visible(text)}>
    ✎
  </span>
);

const SCORE: Column<Result> = {
  name: 'Score',
  track: '64px',
  isNumber: true,
  cell: ({ overall }) => (overall === null ? '' : `${(overall * 100).toFixed(0)} %`),
};
