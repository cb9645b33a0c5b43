import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Comparison, Estimate } from '#lib/contracts/comparison';
import { withFilter, type CompareSearch } from '../address';
import { Deltas } from '../../../ui/figures/delta';
import { UserLine } from '../../../ui/user-text';
import { count } from '../../../ui/score';

const SHOWN = 100;

interface Group {
  name: string;
  label: ReactNode;
  estimate: Estimate;
}

/** The difference by category and by expected tool: where to look, not a finding. */
export function GroupedFigures({
  comparison: { categories, tools },
  search,
}: {
  comparison: Comparison;
  search: CompareSearch;
}) {
  const ofCategories = categories.map(({ category, estimate }): Group => ({
    name: category,
    estimate,
    label: (
      <Link
        to="/compare"
        hash="pairs"
        search={withFilter(search, { category: search.category === category ? undefined : category })}
      >
        <UserLine text={category} />
      </Link>
    ),
  }));
  const ofTools = tools.map(({ tool, estimate }): Group => ({
    name: tool,
    estimate,
    label: <UserLine text={tool} />,
  }));
  return (
    <>
      <GroupFigures id="categories" title="By category" groups={ofCategories} />
      <GroupFigures id="tools" title="By expected tool" groups={ofTools} />
    </>
  );
}

function GroupFigures({ id, title, groups }: { id: string; title: string; groups: Group[] }) {
  if (groups.length < 2) return null;
  return (
    <section aria-labelledby={id} className="section">
      <h2 id={id}>{title}</h2>
      <p className="muted">Hints, not findings: among many groups, some differ by chance.</p>
      <Deltas
        label={`${title}: how much the run differs from A, in points, with 95 % intervals`}
        rows={groups.slice(0, SHOWN).map(({ name, label, estimate }) => ({
          key: name,
          label,
          difference: estimate.difference,
          interval: estimate.ci,
          aside: <span className="muted small">n {count(estimate.n_cases)}</span>,
        }))}
      />
      {groups.length > SHOWN && <p className="muted">{count(groups.length - SHOWN)} more not shown.</p>}
    </section>
  );
}
