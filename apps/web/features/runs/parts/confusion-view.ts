import type { Confusion } from '#lib/contracts/run-facets';
import { TOOL_LABELS } from '#lib/contracts/values/verdicts';
import { count } from '../../../ui/amounts';
import { toolWords } from './tool-words';

/** A row or a column. */
export interface ConfusionAxis {
  /** Undefined where it stands for several tools, which have no results of their own. */
  tool: string | undefined;
  words: string;
  /** Whether it is set apart from the tools before it. */
  isApart: boolean;
}

interface ConfusionCell {
  n: number;
  /** Results in the row. */
  all: number;
  isRight: boolean;
}

export interface ConfusionView {
  rows: ConfusionAxis[];
  columns: ConfusionAxis[];
  cells: ConfusionCell[][];
  /** The most frequent error. */
  worst: { expected: string; called: string; n: number; all: number } | undefined;
}

/** Tools with a row and a column of their own: those with the most errors. */
const MOST_TOOLS = 20;

const isSeveral = (label: string): boolean => label.includes(' or ');
const isTool = (label: string): boolean => !Object.values<string>(TOOL_LABELS).includes(label);

/** Whether a row expects the column's tool: its own, one of those that its cases accept as alternatives, or any. */
const isExpected = (row: string, column: string): boolean =>
  row === column || row === TOOL_LABELS.any || row.split(' or ').includes(column);

/**
 * A confusion with its rows and columns in the same order, so that right calls are a diagonal: tools, what accepts
 * several of them, no call, and others.
 */
export function confusionView(confusion: Confusion): ConfusionView {
  const { expected, called, cells, other_expected: otherRows, other_called: otherColumns } = confusion;
  const errors = errorsOf(confusion);
  const most = (labels: readonly string[]): Set<string> =>
    new Set(labels.toSorted((one, other) => (errors.get(other) ?? 0) - (errors.get(one) ?? 0)).slice(0, MOST_TOOLS));
  const single = expected.filter((label) => isTool(label) && !isSeveral(label));
  const onlyCalled = called.filter((label) => isTool(label) && !single.includes(label));
  const several = expected.filter(isSeveral);
  const kept = most([...single, ...onlyCalled]);
  const keptSeveral = most(several);
  const isKept = (label: string): boolean => kept.has(label) || keptSeveral.has(label);
  const none = (labels: readonly string[]) => labels.filter((label) => !isTool(label));
  const rowOrder = [...single.filter(isKept), ...several.filter(isKept), ...none(expected)];
  const columnOrder = [...single.filter(isKept), ...onlyCalled.filter(isKept), ...none(called)];
  const rows = axesOf(rowOrder, expected.length - rowOrder.length + otherRows);
  const calledOthers = called.filter((label) => !columnOrder.includes(label)).length;
  const columns = axesOf(columnOrder, calledOthers + otherColumns);

  const sums = rows.map(() => columns.map(() => 0));
  const placeIn = (order: readonly string[], label: string | undefined): number => {
    const at = label === undefined ? -1 : order.indexOf(label);
    return at < 0 ? order.length : at;
  };
  for (const [from, line] of cells.entries())
    for (const [at, n] of line.entries()) {
      const [row, column] = [placeIn(rowOrder, expected[from]), placeIn(columnOrder, called[at])];
      if (n > 0) sums[row]![column]! += n;
    }
  return {
    rows,
    columns,
    cells: sums.map((line, row) => {
      const all = line.reduce((sum, n) => sum + n, 0);
      return line.map((n, column) => ({ n, all, isRight: isRightAt(rowOrder[row], columnOrder[column]) }));
    }),
    worst: worstOf(confusion),
  };
}

const isRightAt = (row: string | undefined, column: string | undefined): boolean =>
  row !== undefined && column !== undefined && isExpected(row, column);

function axesOf(order: readonly string[], others: number): ConfusionAxis[] {
  const firstApart = order.findIndex((label) => !isTool(label));
  return [
    ...order.map((tool, at) => ({ tool, words: toolWords(tool), isApart: at === firstApart && at > 0 })),
    ...(others > 0
      ? [{ tool: undefined, words: `${count(others)} ${others === 1 ? 'other' : 'others'}`, isApart: firstApart < 0 }]
      : []),
  ];
}

/** Wrong calls by tool: those in its row, and those in its column. */
function errorsOf({ expected, called, cells }: Confusion): ReadonlyMap<string, number> {
  const errors = new Map<string, number>();
  for (const [row, label] of expected.entries())
    for (const [column, tool] of called.entries()) {
      const n = cells[row]?.[column] ?? 0;
      if (n === 0 || isExpected(label, tool)) continue;
      for (const one of [label, tool]) errors.set(one, (errors.get(one) ?? 0) + n);
    }
  return errors;
}

function worstOf({ expected, called, cells }: Confusion): ConfusionView['worst'] {
  let worst: ConfusionView['worst'];
  for (const [row, label] of expected.entries())
    for (const [column, tool] of called.entries()) {
      const n = cells[row]?.[column] ?? 0;
      if (n <= (worst?.n ?? 0) || isExpected(label, tool)) continue;
      worst = { expected: label, called: tool, n, all: cells[row]!.reduce((sum, one) => sum + one, 0) };
    }
  return worst;
}
