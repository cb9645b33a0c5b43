import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { count } from '../../../ui/amounts';
import { CellLegend, CellMark, cellLook, cellWords, type CellCounts } from '../../../ui/figures/cells';
import { MarkCard, Picture, Plot, useMarks } from '../../../ui/figures/picture';
import { Empty } from '../../../ui/empty';
import { Note } from '../../../ui/hint';
import { Moment, momentWords } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { ModelName, useModelLabel, useModelNames } from '../../providers/parts/model-name';
import { caseVerdictsQuery, namedResultsQuery } from '../api';
import { caseGrid, passedWords, type CaseGrid, type Here, type PictureRow, type PictureRun } from './case-picture-rows';
import css from './case-picture.module.css';
import { Differs } from './differs';

interface Props {
  suiteId: string;
  caseId: string;
  /** The opened result, whose row and column are marked. */
  here?: Here;
  open: (runId: string, resultId: string) => void;
}

const FIRST_ROWS = 12;
const NOTHING: CellCounts = { passed: 0, scored: 0, errored: 0 };

/** The verdicts on a case: a row for each model, a column for each of the newest runs. */
export function CasePicture({ suiteId, caseId, here, open }: Props) {
  const { data } = useSuspenseQuery(caseVerdictsQuery(suiteId, caseId, here?.runId));
  const [isWhole, setWhole] = useState(false);
  const { runId, target } = here ?? {};
  const grid = useMemo(
    () => caseGrid(data, runId !== undefined && target !== undefined ? { runId, target } : undefined),
    [data, runId, target],
  );
  const labelOf = useModelLabel();
  if (grid.rows.length === 0) return <Empty>No run has included this case yet.</Empty>;
  const rows = isWhole ? grid.rows : grid.rows.slice(0, FIRST_ROWS);
  const [first] = grid.rows;
  return (
    <Picture
      label="Verdicts by model and run"
      says={
        <>
          <UserText text={labelOf(first!.target)} max={200} /> {passedWords(first!)}
          {data.left_out > 0 && `; ${leftOutWords(data.left_out)} not shown`}.
        </>
      }
      read={<HowToRead grid={grid} />}
      numbers={{
        head: ['Model', ...grid.runs.map(runWords)],
        rows: () =>
          grid.rows.map(({ target: model, cells }) => ({
            key: model,
            cells: [<ModelName key="model" target={model} />, ...cells.map((cell) => cellWords(cell ?? NOTHING))],
          })),
      }}
    >
      <Cells grid={grid} rows={rows} here={here} open={open} />
      {grid.rows.length > rows.length && (
        <button type="button" className="plain dense" onClick={() => setWhole(true)}>
          All {count(grid.rows.length)} models
        </button>
      )}
    </Picture>
  );
}

/** Runs are counted up to this number. */
const COUNTED = 1000;
const leftOutWords = (runs: number): string =>
  runs === 1 ? '1 older run is' : `${count(runs)}${runs >= COUNTED ? ' or more' : ''} older runs are`;

const runWords = ({ name, created_at: at }: PictureRun): string =>
  name === null ? momentWords(at) : `${name.slice(0, 100)}, ${momentWords(at)}`;

function HowToRead({ grid: { rows } }: { grid: CaseGrid }) {
  const looks = new Set(rows.flatMap(({ cells }) => cells.map((cell) => cellLook(cell ?? NOTHING))));
  return (
    <Note of="How to read this">
      A row for each model and a column for each run, the newest at the right. A cell is filled by the share of samples
      that passed, by the verdicts of the run itself. <CellLegend shown={looks} />
    </Note>
  );
}

interface CellsProps extends Pick<Props, 'here' | 'open'> {
  grid: CaseGrid;
  rows: readonly PictureRow[];
}

function Cells({ grid: { runs, hasGap }, rows, here, open }: CellsProps) {
  const names = useModelNames(useMemo(() => rows.map(({ target }) => target), [rows]));
  const width = runs.length;
  const cellAt = (index: number) => {
    const row = rows[Math.floor(index / width)]!;
    return { row, run: runs[index % width]!, cell: row.cells[index % width] };
  };
  const marks = useMarks({
    count: rows.length * width,
    open: (index) => {
      const { run, cell } = cellAt(index);
      if (cell) open(run.id, cell.result_id);
    },
    move: (index, key) => {
      const next = index + (STEPS[key] ?? (key === 'ArrowDown' ? width : -width));
      return next >= 0 && next < rows.length * width ? next : index;
    },
  });
  return (
    <Plot of={marks}>
      <div className={css.grid}>
        <div className={css.ends} aria-hidden="true">
          <span className={css.prefix}>{names.prefix && `${names.prefix}…`}</span>
          <span className={css.dates} style={{ width: width * CELL }}>
            <Moment at={runs[0]!.created_at} />
            {width > FEW && <Moment at={runs.at(-1)!.created_at} />}
          </span>
        </div>
        {rows.map(({ target, cells }, y) => (
          <div key={target} className={`${css.row} ${target === here?.target ? css.here : ''}`}>
            <span className={css.model}>
              <ModelName target={target} of={names} />
            </span>
            {cells.map((cell, x) => {
              const run = runs[x]!;
              const isHere = run.id === here?.runId;
              const words = `${names.prefix}${names.of(target)}, ${runWords(run)}: ${cellWords(cell ?? NOTHING)}`;
              return (
                <span
                  key={run.id}
                  className={[css.cell, isHere && css.here, hasGap && x === 0 && css.gap].filter(Boolean).join(' ')}
                  aria-current={isHere && target === here?.target ? 'true' : undefined}
                  {...marks.propsOf(y * width + x, words)}
                >
                  <CellMark {...(cell ?? NOTHING)} />
                </span>
              );
            })}
          </div>
        ))}
      </div>
      {marks.shown !== undefined && (
        <Card
          {...cellAt(marks.shown)}
          at={[placeOf(marks.shown % width), Math.floor(marks.shown / width) / rows.length]}
        />
      )}
    </Plot>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
const CELL = 20;
const MODEL = 200;
/** Fewer columns have no room for two dates. */
const FEW = 7;
const WIDTH = MODEL + 20 * CELL;
/** Where a column is, as a share of the plot's width. */
const placeOf = (column: number): number => Math.min(1, (MODEL + (column + 1) * CELL) / WIDTH);

interface CardProps {
  row: PictureRow;
  run: PictureRun;
  cell: PictureRow['cells'][number];
  at: readonly [number, number];
}

/** What a cell stands for, and what was called. */
function Card({ row, run, cell, at }: CardProps) {
  const { data } = useQuery({
    ...namedResultsQuery(run.id, [cell?.result_id ?? '']),
    enabled: cell !== undefined,
  });
  const result = data?.items[0];
  return (
    <MarkCard at={at}>
      <strong>
        <ModelName target={row.target} />
      </strong>
      <div>
        <UserText text={runWords(run)} max={150} />, version {run.suite_version}
      </div>
      <div>{cellWords(cell ?? NOTHING)}</div>
      {result && (
        <div>
          <Differs result={result} />
        </div>
      )}
    </MarkCard>
  );
}
