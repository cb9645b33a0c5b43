import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Comparison } from '#lib/contracts/comparison';
import { count, money, percent } from '../../../ui/amounts';
import { Claim } from '../../../ui/claim';
import { duration } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { sideIn, withComparison, withFilter, type CompareSearch, type OutcomeWord } from '../address';
import css from '../parts/compare.module.css';
import { ComparisonMark } from '../parts/comparison-mark';

interface Props {
  comparison: Comparison;
  search: CompareSearch;
}

/** What may be claimed about the difference, in the server's words, and its figures. */
export function ComparisonAnswer({ comparison, search }: Props) {
  const { all, b, cost, latency_p50_ms: latency, outcomes } = comparison;
  const side = sideIn(search, b.id);
  return (
    <section aria-labelledby="difference" className={css.answer}>
      <h2 id="difference" className="unseen">
        {side} against A, the baseline
      </h2>
      {all.text !== null && (
        <div className={`sentence ${css.claim}`}>
          <Claim text={all.text} />
        </div>
      )}
      <div className={css.tiles}>
        <Difference comparison={comparison} side={side} />
        <Tile label="Cases that changed" figure={<ChangedCases outcomes={outcomes} search={search} />}>
          <CaseCounts comparison={comparison} side={side} />
        </Tile>
        <SideTile label="Cost" of={cost} text={money} />
        <SideTile label="Median latency" of={latency} text={duration} />
      </div>
      <Advice comparison={comparison} search={search} />
    </section>
  );
}

interface TileProps {
  label: string;
  figure: ReactNode;
  children?: ReactNode;
}

const Tile = ({ label, figure, children }: TileProps) => (
  <section className={css.tile} aria-label={label}>
    <div className="small muted">{label}</div>
    <div className={css.figure}>{figure}</div>
    <div className="small muted">{children}</div>
  </section>
);

const signed = (share: number): string => `${share > 0 ? '+' : ''}${(share * 100).toFixed(1).replace('-0.0', '0.0')}`;

function Difference({ comparison: { all, targets }, side }: { comparison: Comparison; side: string }) {
  const { difference, ci, verdict, small, measure } = all;
  return (
    <Tile
      label={`${side} against A`}
      figure={
        <>
          {difference !== null && `${signed(difference)} points `}
          {verdict && <ComparisonMark verdict={verdict} small={small} />}
        </>
      }
    >
      {ci && (
        <div>
          95 %: {signed(ci[0])} to {signed(ci[1])}
        </div>
      )}
      {measure !== 'overall' && (
        <div>
          by <UserText text={measure} max={100} />
        </div>
      )}
      {targets.length > 1 && <div>over {count(targets.length)} models</div>}
    </Tile>
  );
}

function ChangedCases({ outcomes, search }: { outcomes: Comparison['outcomes']; search: CompareSearch }) {
  const link = (outcome: OutcomeWord, n: number) =>
    n === 0 ? (
      <span>0 {outcome}</span>
    ) : (
      <Link to="/compare" search={withFilter(search, { outcome })} hash="pairs" resetScroll={false}>
        {count(n)} {outcome}
      </Link>
    );
  return (
    <span className={css.changed}>
      {link('fixed', outcomes.fixed)} {link('broken', outcomes.broken)}
    </span>
  );
}

function CaseCounts({ comparison: { cases, targets }, side }: { comparison: Comparison; side: string }) {
  const others: [number, string][] = [
    [cases.dropped_errored, 'errored'],
    [cases.changed, 'changed'],
    [cases.only_a, 'only in A'],
    [cases.only_b, `only in ${side}`],
  ];
  const words = others.filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}`);
  const each = targets.length > 1 ? ', each by model' : '';
  return [`${count(cases.common)} ${cases.common === 1 ? 'case' : 'cases'} in common${each}`, ...words].join(', ');
}

interface SideTileProps {
  label: string;
  of: { a: number | null; b: number | null };
  text: (value: number) => string;
}

function SideTile({ label, of: { a, b }, text }: SideTileProps) {
  const known = (value: number | null): string => (value === null ? 'unknown' : text(value));
  const change = a !== null && b !== null && a > 0 ? b / a - 1 : undefined;
  return (
    <Tile label={label} figure={a === null && b === null ? <span className="muted">unknown</span> : known(b)}>
      {(a !== null || b !== null) && (
        <>
          was {known(a)}
          {change !== undefined &&
            Math.abs(change) >= 0.01 &&
            `, ${change > 0 ? '+' : ''}${Math.round(change * 100)} %`}
        </>
      )}
    </Tile>
  );
}

/** What to do without a verdict. */
function Advice({ comparison, search }: Props) {
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
            {id === a.id ? 'A' : sideIn(search, b.id)}
          </Link>{' '}
          <span className="errored-count">({percent(share)} errored)</span>
        </span>
      ))}
    </p>
  );
}
