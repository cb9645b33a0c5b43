import { count } from '../amounts';
import css from './cells.module.css';

/** The samples of a case, or the cases of a category: those with a score, and those without one. */
export interface CellCounts {
  passed: number;
  scored: number;
  errored: number;
}

export type CellLook = 'passed' | 'partly' | 'failed' | 'errored' | 'unknown';

/** All of what is scored passed, a part, or nothing; nothing is scored; or nothing was run. */
export function cellLook({ passed, scored, errored }: CellCounts): CellLook {
  if (scored === 0) return errored > 0 ? 'errored' : 'unknown';
  if (passed === scored) return 'passed';
  return passed > 0 ? 'partly' : 'failed';
}

/** "passed", "3 of 5 passed", "3 of 4 passed, 1 errored", "not run": errored samples never count as failed. */
export function cellWords(of: CellCounts): string {
  const { passed, scored, errored } = of;
  if (scored + errored === 0) return 'not run';
  if (scored + errored === 1) return cellLook(of);
  if (scored === 0) return `${count(errored)} errored`;
  return `${count(passed)} of ${count(scored)} passed${errored > 0 ? `, ${count(errored)} errored` : ''}`;
}

/** Keeps a part that is not everything apart from everything, and one that is not nothing from nothing. */
const [LEAST_SHARE, MOST_SHARE] = [0.15, 0.85];
const fillOf = (share: number): string => `${(Math.max(LEAST_SHARE, Math.min(MOST_SHARE, share)) * 100).toFixed(0)}%`;

const CLASSES: Record<CellLook, string | undefined> = {
  passed: css.passed,
  partly: css.partly,
  failed: css.failed,
  errored: css.errored,
  unknown: css.unknown,
};

/**
 * A cell of a heat map: full where everything passed, hatched where nothing did, filled from below by the share that
 * passed, a dash where nothing is scored, a dot where nothing was run. A corner says that some of it errored. What is
 * around it says the words.
 */
export function CellMark(of: CellCounts) {
  const look = cellLook(of);
  return (
    <span
      className={`${css.cell} ${CLASSES[look]}${of.errored > 0 && of.scored > 0 ? ` ${css.corner}` : ''}`}
      style={look === 'partly' ? { ['--share' as string]: fillOf(of.passed / of.scored) } : undefined}
    />
  );
}

/** Strengths of a tint that a number is readable on in one of two colours, and the shares from which they are taken. */
const STRENGTHS: readonly (readonly [from: number, percent: number])[] = [
  [0.95, 100],
  [0.8, 80],
  [0.6, 45],
  [0.4, 30],
  [0.2, 18],
  [0, 8],
];
const DARK_FROM = 80;

/** Rounded down: only all is 100. */
const percentOf = ({ passed, scored }: CellCounts): number => Math.floor((passed / scored) * 100);

/** "35 %, 14 of 40 passed" */
export const shareWords = (of: CellCounts): string =>
  of.scored === 0 ? cellWords(of) : `${percentOf(of)} %, ${cellWords(of)}`;

/** A cell that sums up many: the share that passed as a number on a tint; a dash or a dot without a score. */
export function CellShare(of: CellCounts) {
  if (of.scored === 0) return <CellMark {...of} />;
  const share = of.passed / of.scored;
  const strength = STRENGTHS.find(([from]) => share >= from)![1];
  return (
    <span
      className={strength >= DARK_FROM ? `${css.share} ${css.dark}` : css.share}
      style={{ ['--strength' as string]: `${strength}%` }}
    >
      {percentOf(of)}
    </span>
  );
}

const LEGEND: readonly (readonly [words: string, CellCounts])[] = [
  ['passed', { passed: 1, scored: 1, errored: 0 }],
  ['in part', { passed: 1, scored: 2, errored: 0 }],
  ['failed', { passed: 0, scored: 1, errored: 0 }],
  ['errored', { passed: 0, scored: 0, errored: 1 }],
  ['not run', { passed: 0, scored: 0, errored: 0 }],
];

/** What the marks of cells mean. @param shown looks that the picture has, by default all of them */
export const CellLegend = ({ shown }: { shown?: ReadonlySet<CellLook> }) => (
  <span className={css.legend}>
    {LEGEND.filter(([, of]) => !shown || shown.has(cellLook(of))).map(([words, of]) => (
      <span key={words}>
        <CellMark {...of} /> {words}
      </span>
    ))}
  </span>
);
