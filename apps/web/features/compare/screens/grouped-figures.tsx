import { Link } from '@tanstack/react-router';
import type { Comparison, Estimate } from '#lib/contracts/comparison';
import { count } from '../../../ui/amounts';
import { Deltas, type DeltaRow } from '../../../ui/figures/delta';
import { Note } from '../../../ui/hint';
import { naturalOrder } from '../../../ui/natural-order';
import { UserLine } from '../../../ui/user-text';
import { toolWords } from '../../runs/parts/tool-words';
import { withFilter, type CompareSearch } from '../address';
import { beyondChance } from '../parts/beyond-chance';
import { rowOf } from '../parts/estimate-row';

interface Props {
  comparison: Comparison;
  search: CompareSearch;
}

/** The difference by category and by expected tool: where to look. Folded, unless a group differs beyond chance. */
export function GroupedFigures({ comparison: { b, categories, tools }, search }: Props) {
  const linked = (category: string) => (
    <Link
      to="/compare"
      hash="pairs"
      resetScroll={false}
      search={withFilter(search, { category: search.category === category ? undefined : category })}
    >
      <UserLine text={category} />
    </Link>
  );
  const byCategory = categories.toSorted((one, other) => naturalOrder(one.category, other.category));
  const byTool = tools.toSorted((one, other) => naturalOrder(one.tool, other.tool));
  if (categories.length < 2 && tools.length < 2) return null;
  return (
    <section aria-label="By group">
      <GroupFigures
        key={`categories ${b.id}`}
        of={['category', 'categories']}
        title="By category"
        estimates={byCategory.map(({ estimate }) => estimate)}
        rowAt={(index, estimate) => rowOf(byCategory[index]!.category, linked(byCategory[index]!.category), estimate)}
      />
      <GroupFigures
        key={`tools ${b.id}`}
        of={['tool', 'tools']}
        title="By expected tool"
        estimates={byTool.map(({ estimate }) => estimate)}
        rowAt={(index, estimate) =>
          rowOf(byTool[index]!.tool, <UserLine text={toolWords(byTool[index]!.tool)} />, estimate)
        }
      />
    </section>
  );
}

const SHOWN = 20;

interface GroupProps {
  title: string;
  of: readonly [one: string, several: string];
  estimates: readonly Estimate[];
  rowAt: (index: number, estimate: Estimate) => DeltaRow;
}

function GroupFigures({ title, of: [one, several], estimates, rowAt }: GroupProps) {
  if (estimates.length < 2) return null;
  const differing = beyondChance(estimates.map(({ p }) => p));
  const says =
    differing === 0
      ? `none of ${count(estimates.length)} ${several} differs`
      : `${count(differing)} of ${count(estimates.length)} ${several} ${differing === 1 ? 'differs' : 'differ'}`;
  // Where to look comes first: what differs most certainly.
  const shown = [...estimates.entries()].toSorted(([, a], [, b]) => (a.p ?? 1) - (b.p ?? 1)).slice(0, SHOWN);
  const rows = estimates.length > SHOWN ? shown : [...estimates.entries()];
  return (
    <details className="fold" open={differing > 0}>
      <summary>
        {title}: {says}
      </summary>
      <div className="fold-inner">
        <Deltas
          label={`${title}: how much the run differs from A, in points, with 95 % intervals`}
          rows={rows.map(([index, estimate]) => rowAt(index, estimate))}
        />
        <div className="muted small">
          {estimates.length > SHOWN && `The ${SHOWN} that differ most surely. `}
          <Note of="When a group differs">
            A {one} differs if chance alone would show as much in fewer than 5 of 100 comparisons, corrected for the
            number of {several}. Its interval may lie on one side of 0 without that.
          </Note>
        </div>
      </div>
    </details>
  );
}
