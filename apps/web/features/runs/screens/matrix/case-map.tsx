import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Run } from '#lib/contracts/run';
import type { RunCases, RunFacets } from '#lib/contracts/run-facets';
import { count, percent } from '../../../../ui/amounts';
import { CellLegend, type CellCounts } from '../../../../ui/figures/cells';
import type { GridPlace } from '../../../../ui/figures/grid-keys';
import { HeatGrid, type HeatRow } from '../../../../ui/figures/heat-grid';
import { Picture, type NumberRow } from '../../../../ui/figures/picture';
import { Note } from '../../../../ui/hint';
import { ErrorNotice } from '../../../../ui/notices';
import { UserLine, UserText, visible } from '../../../../ui/user-text';
import { ModelName, useModelNames } from '../../../providers/parts/model-name';
import type { ModelNames } from '../../../providers/parts/model-names';
import type { ResultsSearch } from '../../../results/address';
import type { MatrixSearch } from '../../address';
import { ResultsLink } from '../../parts/run-link';
import { CaseCard, CaseWords, type AskedCell } from './case-card';
import {
  caseNameOf,
  cellsOf,
  isCase,
  layoutOf,
  modelsInOrder,
  prefixOfMost,
  sumsOf,
  type Layout,
  type MapRow,
  type SumRow,
} from './case-rows';
import css from './matrix.module.css';
import { useCasePages } from './use-case-pages';

interface Props {
  run: Run;
  cases: RunCases;
  facets: RunFacets;
  search: MatrixSearch;
}

const READ = (
  <Note of="How to read this">
    A row is a case, a column a model, the best at the left. A cell is filled by the share of samples that passed; a
    corner means that some of them errored. A number is the share of all cases, or of a category, that passed, in
    percent. Arrow keys move, Enter opens the results.
  </Note>
);

/** A heat map of cases by models, with categories as its first rows or between the cases. */
export function CaseMap({ run, cases, facets, search }: Props) {
  const { rescore } = search;
  const order = useMemo(() => modelsInOrder(run, facets, rescore !== undefined), [run, facets, rescore]);
  const targets = useMemo(() => order.map((at) => facets.targets[at]!), [order, facets]);
  const names = useShortNames(targets);
  const columns = useMemo(() => targets.map((target) => columnOf(target, names)), [targets, names]);
  const layout = useLayout(facets, cases, search);
  const pages = useCasePages(run.id, search, cases);
  const rowAt = (index: number): MapRow | undefined => {
    const found = layout.at(index);
    return typeof found === 'number' ? pages.caseAt(found) : found;
  };
  const read = useCallback(
    (row: MapRow): HeatRow => ({
      words: isCase(row) ? caseNameOf(row).slice(0, 100) : row.words,
      head: <RowHead run={run} row={row} rescore={rescore} />,
      cells: cellsOf(row, order),
      isSum: !isCase(row),
    }),
    [run, order, rescore],
  );
  const cellAt = ({ row: index, column }: GridPlace): Cell => {
    const [row, target, ordinal] = [rowAt(index), targets[column], order[column]];
    const asked = row && isCase(row) && { runId: run.id, caseId: row.case_id, target, rescore };
    return { row, target, ordinal, counts: row && cellsOf(row, order)[column], asked: asked || undefined };
  };
  const open = useOpened(run, rescore);
  return (
    <Picture
      label="Cases and models"
      says={<CellLegend />}
      read={READ}
      numbers={{ head: headOfNumbers(targets, names), rows: () => rowsOfNumbers(facets, order) }}
    >
      <HeatGrid<MapRow>
        label="Cases by model"
        corner={<Corner prefix={names.prefix} />}
        headHeight={headHeightOf(targets, names)}
        headWidth={headWidthOf(cases)}
        count={layout.count}
        {...{ columns, rowAt, read }}
        open={(place) => open(cellAt(place))}
        card={(place) => <CellCard of={cellAt(place)} />}
        said={(place) => <CellWords of={cellAt(place)} />}
        onWindow={(first, last) => {
          const [from, to] = [nthAt(layout.at, first, last), nthAt(layout.at, last, first)];
          if (from !== undefined && to !== undefined) pages.setWindow(from, to);
        }}
      />
      {pages.error && <ErrorNotice error={pages.error} retry={pages.retry} />}
    </Picture>
  );
}

/** Sums are of the whole run, so a filter leaves them out. */
function useLayout(facets: RunFacets, cases: RunCases, { category, tag }: MatrixSearch): Layout {
  const isFiltered = category !== undefined || tag !== undefined;
  return useMemo(() => {
    const sums = sumsOf(facets, cases.counts.all);
    return layoutOf(isFiltered ? { ...sums, rows: [] } : sums, cases);
  }, [facets, cases, isFiltered]);
}

interface Cell {
  row: MapRow | undefined;
  target: string | undefined;
  ordinal: number | undefined;
  counts: CellCounts | undefined;
  /** Undefined for a sum, which has no results of its own. */
  asked: AskedCell | undefined;
}

const CellCard = ({ of: { row, target, counts, asked } }: { of: Cell }) =>
  row && <CaseCard name={isCase(row) ? caseNameOf(row) : row.words} {...{ target, counts, asked }} />;

const CellWords = ({ of: { asked } }: { of: Cell }) =>
  asked?.target === undefined ? null : <CaseWords asked={asked} />;

/** The first case from a row on towards another. */
function nthAt(at: (index: number) => SumRow | number, from: number, to: number): number | undefined {
  const step = from <= to ? 1 : -1;
  for (let index = from; index !== to + step; index += step) {
    const found = at(index);
    if (typeof found === 'number') return found;
  }
  return undefined;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufefc]/;

/** A name in two directions is cut once, so that it stays in one piece. */
const columnOf = (target: string, names: ModelNames) => ({
  key: target,
  words: target.slice(0, 100),
  head: (
    <span className={css.model} title={visible(target.slice(0, 300))}>
      {RIGHT_TO_LEFT.test(target) ? <UserLine text={names.of(target)} /> : <ModelName target={target} of={names} />}
    </span>
  ),
});

/** The names of the models without what most of them begin with. */
function useShortNames(targets: readonly string[]): ModelNames {
  const names = useModelNames(targets);
  return useMemo(() => {
    const prefix = prefixOfMost(targets.map((target) => names.of(target)));
    const shortened = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
    return { prefix: names.prefix + prefix, of: (target) => shortened(names.of(target)) };
  }, [targets, names]);
}

const CHARACTER = 7;
const HEAD = { least: 72, most: 152 };
/** As high as the longest name, within limits. */
const headHeightOf = (targets: readonly string[], { of }: ModelNames): number =>
  Math.max(HEAD.least, Math.min(HEAD.most, 16 + CHARACTER * Math.max(...targets.map((target) => of(target).length))));

const ROW_HEAD = { least: 184, most: 280, characters: 60 };
const headWidthOf = ({ items }: RunCases): number => {
  const longest = Math.max(0, ...items.map((one) => Math.min(ROW_HEAD.characters, caseNameOf(one).length)));
  return Math.max(ROW_HEAD.least, Math.min(ROW_HEAD.most, 24 + CHARACTER * longest));
};

/** What the names of most models begin with. */
const Corner = ({ prefix }: { prefix: string }) => (
  <span>
    Case{' '}
    {prefix !== '' && (
      <>
        by model <UserText text={prefix} max={60} />…
      </>
    )}
  </span>
);

function RowHead({ run, row, rescore }: { run: Run; row: MapRow; rescore: string | undefined }) {
  const search: ResultsSearch | undefined = isCase(row) ? { case: row.case_id } : searchOfSum(row);
  const words = <UserLine text={isCase(row) ? caseNameOf(row) : row.words} />;
  if (!search) return words;
  return (
    <ResultsLink runId={run.id} search={{ ...search, rescore }} isInGrid>
      {words}
    </ResultsLink>
  );
}

/** Results without a category cannot be listed by themselves. */
const searchOfSum = ({ category }: SumRow): ResultsSearch | undefined =>
  category === undefined ? {} : category === null || category === '' ? undefined : { category: [category] };

/** Opens the only result of a cell, to be read next to those of the other models; otherwise the list of its results. */
function useOpened(run: Run, rescore: string | undefined) {
  const navigate = useNavigate();
  return ({ row, target, ordinal, counts }: Cell): void => {
    if (!row) return;
    const isOne = isCase(row) && run.config.samples === 1 && run.first_sample === 0;
    if (isOne && counts && counts.scored + counts.errored > 0)
      return void navigate({
        to: '/runs/$runId/results/$resultId',
        params: { runId: run.id, resultId: `${ordinal}-${row.position}-0` },
        search: { case: row.case_id, rescore },
      });
    const search = isCase(row) ? { case: row.case_id } : searchOfSum(row);
    if (search)
      void navigate({
        to: '/runs/$runId/results',
        params: { runId: run.id },
        search: { ...search, rescore, model: target === undefined ? undefined : [target] },
      });
  };
}

const MOST_NUMBERS = 50;

const headOfNumbers = (targets: readonly string[], names: ModelNames): string[] => [
  'Passed',
  ...targets.map((target) => names.of(target).slice(0, 60)),
];

/** The shares of passed results by category and model. */
function rowsOfNumbers(facets: RunFacets, order: readonly number[]): NumberRow[] {
  const { rows, byCategory } = sumsOf(facets, 0);
  return [rows[0]!, ...byCategory.values()]
    .filter((row) => row.byTarget?.some((counts) => counts.some((n) => n > 0)))
    .slice(0, MOST_NUMBERS)
    .map((row) => ({
      key: String(row.category),
      cells: [
        <UserLine key="name" text={row.words} />,
        ...cellsOf(row, order).map(({ passed, scored }) =>
          scored === 0 ? 'unknown' : `${percent(passed / scored)} of ${count(scored)}`,
        ),
      ],
    }));
}
