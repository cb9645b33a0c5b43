import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Comparison, Estimate } from '#lib/contracts/comparison';
import { Deltas, deltaText, type DeltaRow } from '../../../ui/figures/delta';
import { Numbers } from '../../../ui/figures/numbers';
import { Folded } from '../../../ui/details';
import { naturalOrder } from '../../../ui/natural-order';
import { count, money, percent } from '../../../ui/amounts';
import { duration } from '../../../ui/time';
import { UserLine, UserText } from '../../../ui/user-text';
import { Notes } from '../../../ui/notices';
import { ModelName } from '../../providers/parts/model-name';
import { toolWords } from '../../runs/parts/tool-words';
import { sideOf, withComparison, withFilter, type CompareSearch } from '../address';
import { ComparisonMark } from '../parts/comparison-mark';

type ComparisonProps = { comparison: Comparison; search: CompareSearch };

/** What may be claimed about the difference, in the server's words, and the figures behind it. */
export function ComparisonAnswer({ comparison, search, isOne }: ComparisonProps & { isOne: boolean }) {
  const { all } = comparison;
  const side = sideIn(comparison, search);
  return (
    <section aria-labelledby="difference" className="section">
      <h2 id="difference">{side} against A, the baseline</h2>
      {isOne && all.text !== null && (
        <p className="sentence">
          <UserText text={all.text} />
        </p>
      )}
      <div className="facts">
        {all.verdict && <ComparisonMark verdict={all.verdict} small={all.small} />}
        <CaseCounts comparison={comparison} side={side} />
        <SidePair words="cost" of={comparison.cost} text={money} />
        <SidePair words="median latency" of={comparison.latency_p50_ms} text={duration} />
      </div>
      <Advice comparison={comparison} search={search} />
    </section>
  );
}

const sideIn = ({ b }: Comparison, search: CompareSearch): string =>
  sideOf(Math.max(1, search.runs?.indexOf(b.id) ?? 1));

/** The difference of each model, with its interval, and the numbers. */
export function ComparisonFigures({ comparison, search }: ComparisonProps) {
  const { all, targets } = comparison;
  const side = sideIn(comparison, search);
  return (
    <section aria-label="Figures" className="section">
      {all.difference !== null && (
        <>
          <Deltas
            label={`How much ${side} differs from A, in points, with 95 % intervals`}
            rows={rowsOf(comparison, search)}
          />
          <Numbers
            label="Differences in numbers"
            head={['Models', 'Mean in A', `Mean in ${side}`, 'Difference (95 %)', 'Cases', 'Samples per case', 'p']}
            rows={[
              { key: 'all', cells: ['all', ...cellsOf(all, all.p)] },
              ...targets.map(({ a, b: other, estimate, p_holm: p }) => ({
                key: `${a}~${other}`,
                cells: [<UserLine key="name" text={pairName(a, other)} />, ...cellsOf(estimate, p)],
              })),
            ]}
          >
            <Power estimate={all} />
          </Numbers>
        </>
      )}
      <UnmatchedModels comparison={comparison} />
      <Notes of={comparison} />
    </section>
  );
}

const pairName = (a: string, b: string): string => (a === b ? a : `${a}, ${b}`);

/** A row of a figure. @param hasVerdict false where the verdict is said elsewhere */
export function rowOf(key: string, label: ReactNode, estimate: Estimate, hasVerdict = false): DeltaRow {
  const { difference, ci: interval, n_cases: n, verdict, small } = estimate;
  const aside = (
    <>
      <span className="muted small">n {count(n)} </span>
      {hasVerdict && verdict && <ComparisonMark verdict={verdict} small={small} />}
    </>
  );
  return { key, label, difference, interval, aside };
}

function rowsOf({ all, targets }: Comparison, search: CompareSearch): DeltaRow[] {
  if (targets.length < 2) return [rowOf('all', <strong>all cases</strong>, all)];
  return [
    rowOf('all', <strong>all {targets.length} models</strong>, all),
    ...targets.map(({ a, b, estimate }) => {
      const next = withFilter(search, { target: search.target === b ? undefined : b });
      const label = (
        <Link to="/compare" search={next} hash="pairs">
          {a === b ? <ModelName target={b} /> : <UserLine text={pairName(a, b)} />}
        </Link>
      );
      return rowOf(`${a}~${b}`, label, estimate, true);
    }),
  ];
}

const SMALLEST_P = 0.0001;
const pText = (p: number | null): string => (p === null ? '' : p < SMALLEST_P ? `< ${SMALLEST_P}` : p.toFixed(4));
const mean = (share: number | null): string => (share === null ? '' : percent(share));

function cellsOf(estimate: Estimate, p: number | null): string[] {
  const { mean_a: a, mean_b: b, difference, ci, n_cases: n, samples } = estimate;
  return [
    mean(a),
    mean(b),
    difference === null ? '' : deltaText({ difference, interval: ci }),
    count(n),
    samples.map((some) => Number(some.toFixed(2))).join(' and '),
    pText(p),
  ];
}

function CaseCounts({ comparison: { cases, all }, side }: { comparison: Comparison; side: string }) {
  const others: [number, string][] = [
    [cases.dropped_errored, 'errored'],
    [cases.changed, 'changed'],
    [cases.only_a, 'only in A'],
    [cases.only_b, `only in ${side}`],
  ];
  const words = others.filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}`);
  return (
    <span>
      {[`${count(cases.common)} ${cases.common === 1 ? 'case' : 'cases'} in common`, ...words].join(', ')}
      {all.measure !== 'overall' && (
        <>
          , by <UserText text={all.measure} max={100} />
        </>
      )}
    </span>
  );
}

interface SidePairProps {
  words: string;
  of: { a: number | null; b: number | null };
  text: (value: number) => string;
}
function SidePair({ words, of: { a, b }, text }: SidePairProps) {
  if (a === null && b === null) return null;
  const known = (value: number | null): string => (value === null ? 'unknown' : text(value));
  return (
    <span>
      {words} {known(a)} → {known(b)}
    </span>
  );
}

/** The smallest difference that such data can show, so that an inconclusive result is not read as no difference. */
function Power({ estimate }: { estimate: Estimate }) {
  const { smallest_detectable: smallest, cases_for_margin: cases, variance, robust, verdict, bounds } = estimate;
  if (smallest === null) return null;
  return (
    <p className="muted">
      {smallest > 1
        ? 'This data could not show any difference.'
        : `Smallest detectable difference: ${(smallest * 100).toFixed(1)} points, with 80 % power.`}
      {cases !== null && ` About ${count(cases)} cases are needed to detect one as small as the margin.`}
      {variance && ` ${varianceAdvice(variance)}`}
      {bounds && verdict !== 'not_comparable' && robust && ' Errored samples could not change the verdict.'}
    </p>
  );
}

const varianceAdvice = ({ between, within }: NonNullable<Estimate['variance']>): string =>
  within > between
    ? 'Most of the variance is within cases: more samples help, and so do more cases.'
    : 'Most of the variance is between cases: more cases help, more samples hardly do.';

function UnmatchedModels({ comparison: { a, b } }: { comparison: Comparison }) {
  const left = [...a.unmatched, ...b.unmatched];
  if (left.length === 0) return null;
  return (
    <p>
      Not compared, because only one run has it: <UserText text={left.join(', ')} />
    </p>
  );
}

/** What to do without a verdict. */
function Advice({ comparison, search }: ComparisonProps) {
  const { all, a, b } = comparison;
  const { reasons } = all;
  if (reasons.includes('running') && !search.partial)
    return (
      <p>
        <Link to="/compare" search={withComparison(search, { partial: true, other: search.other })} className="button">
          Compare the results so far
        </Link>
      </p>
    );
  const wayOut = [a, b].filter(({ errored_share: share }) => share > 0);
  if (!reasons.includes('errored') || wayOut.length === 0) return null;
  return (
    <p>
      Resume errored results:{' '}
      {wayOut.map(({ id, errored_share: share }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/runs/$runId" params={{ runId: id }}>
            {id === a.id ? 'A' : sideIn(comparison, search)}
          </Link>{' '}
          <span className="errored-count">({percent(share)} errored)</span>
        </span>
      ))}
    </p>
  );
}

/** The difference by category and by expected tool: where to look, not a finding. */
export function GroupedFigures({ comparison: { categories, tools }, search }: ComparisonProps) {
  const linked = (category: string) => (
    <Link
      to="/compare"
      hash="pairs"
      search={withFilter(search, { category: search.category === category ? undefined : category })}
    >
      <UserLine text={category} />
    </Link>
  );
  const byCategory = categories.toSorted((one, other) => naturalOrder(one.category, other.category));
  const byTool = tools.toSorted((one, other) => naturalOrder(one.tool, other.tool));
  return (
    <section aria-label="By group">
      <GroupFigures
        title="By category"
        rows={byCategory.map(({ category, estimate }) => rowOf(category, linked(category), estimate))}
      />
      <GroupFigures
        title="By expected tool"
        rows={byTool.map(({ tool, estimate }) => rowOf(tool, <UserLine text={toolWords(tool)} />, estimate))}
      />
    </section>
  );
}

const SHOWN = 100;

function GroupFigures({ title, rows }: { title: string; rows: DeltaRow[] }) {
  if (rows.length < 2) return null;
  return (
    <Folded title={`${title} (${count(rows.length)})`}>
      {() => (
        <>
          <p className="muted">Hints, not findings: among many groups, some differ by chance.</p>
          <Deltas
            label={`${title}: how much the run differs from A, in points, with 95 % intervals`}
            rows={rows.slice(0, SHOWN)}
          />
          {rows.length > SHOWN && <p className="muted">{count(rows.length - SHOWN)} more not shown.</p>}
        </>
      )}
    </Folded>
  );
}
