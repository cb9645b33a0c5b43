import { Link } from '@tanstack/react-router';
import type { Comparison } from '#lib/contracts/comparison';
import { withComparison, sideOf, type CompareSearch } from '../address';
import { Deltas } from '../../../ui/figures/delta';
import { ComparisonMark, SideMark } from '../parts/comparison-mark';
import { UserText } from '../../../ui/user-text';
import { count } from '../../../ui/score';

/** Each run against the first, with links to its figures. */
export function RunsAgainstBaseline({
  comparisons,
  search,
}: {
  comparisons: readonly Comparison[];
  search: CompareSearch;
}) {
  const shown = comparisons.some(({ b }) => b.id === search.other) ? search.other : comparisons[0]!.b.id;
  const sides = comparisons.map((comparison, index) => ({ ...comparison, side: sideOf(index + 1) }));
  return (
    <section aria-labelledby="several" className="section">
      <h2 id="several">Each run against A</h2>
      <Deltas
        label="How much each run differs from A, in points, with 95 % intervals"
        rows={sides.map(({ side, all, b }) => ({
          key: b.id,
          label: <SideMark side={side} />,
          difference: all.difference,
          interval: all.ci,
          aside: <span className="muted small">n {count(all.n_cases)}</span>,
        }))}
      />
      <ul className="each-run">
        {sides.map(({ side, all, b }) => (
          <li key={b.id}>
            <SideMark side={side} />
            <span>
              {all.verdict && <ComparisonMark verdict={all.verdict} small={all.small} />}{' '}
              <UserText text={all.text ?? ''} />
            </span>
            <Link
              to="/compare"
              search={withComparison(search, { other: b.id })}
              className="button dense"
              aria-current={b.id === shown ? 'true' : undefined}
            >
              {b.id === shown ? `${side} is shown` : `Show ${side}`}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
