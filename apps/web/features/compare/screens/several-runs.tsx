import { Link } from '@tanstack/react-router';
import type { Comparison } from '#lib/contracts/comparison';
import { Deltas } from '../../../ui/figures/delta';
import { DeltaStrips, type DeltaMark, type DeltaStripRow } from '../../../ui/figures/delta-strips';
import { useFirst } from '../../../ui/figures/first-of';
import { ModelName, useShortNames } from '../../providers/parts/model-name';
import { RunLink } from '../../runs/parts/run-link';
import { sideOf, withComparison, withFilter, type CompareSearch } from '../address';
import css from '../parts/compare.module.css';
import { SideMark } from '../parts/comparison-mark';
import { rowOf } from '../parts/estimate-row';

interface Props {
  comparisons: readonly Comparison[];
  search: CompareSearch;
}

/** Each run against the first, with links to its figures. */
export function RunsAgainstBaseline({ comparisons, search }: Props) {
  const shown = comparisons.some(({ b }) => b.id === search.other) ? search.other : comparisons[0]!.b.id;
  return (
    <section aria-labelledby="several" className="section">
      <h2 id="several">Each run against A</h2>
      <Deltas
        label="How much each run differs from A, in points, with 95 % intervals"
        rows={comparisons.map(({ all, b }, index) => {
          const side = sideOf(index + 1);
          const label = (
            <span className={`${css.sideName} ${css.chosen}`}>
              <SideMark side={side} />
              <Link
                to="/compare"
                search={withComparison(search, { other: b.id })}
                resetScroll={false}
                className="button dense"
                aria-current={b.id === shown ? 'true' : undefined}
              >
                {b.id === shown ? `${side} is shown` : `Show ${side}`}
              </Link>
              <RunLink runId={b.id} />
            </span>
          );
          return rowOf(b.id, label, all, true);
        })}
      />
    </section>
  );
}

const SHOWN = 8;

/** Each model of all runs against itself in the first one. */
export function ModelStrips({ comparisons, search }: Props) {
  const rows = stripsOf(comparisons);
  const names = useShortNames(rows.map(({ target }) => target));
  const { shown, more } = useFirst(rows, SHOWN, 'models');
  if (rows.length < 2) return null;
  return (
    <section aria-labelledby="by-model" className="section">
      <h2 id="by-model">Each model against itself in A</h2>
      <DeltaStrips
        label="How much each model differs from A in each run, in points, with 95 % intervals"
        rows={shown.map(({ target, marks }): DeltaStripRow => ({
          key: target,
          label: (
            <Link
              to="/compare"
              search={withFilter(search, { target: search.target === target ? undefined : target })}
              hash="pairs"
              resetScroll={false}
            >
              <ModelName target={target} of={names} />
            </Link>
          ),
          marks,
        }))}
      />
      {more && (
        <p>
          {more} <span className="muted small">These differ most surely.</span>
        </p>
      )}
    </section>
  );
}

interface Strip {
  target: string;
  surest: number;
  marks: DeltaMark[];
}

/** Each model with what it differs by in each run. Of many, those that differ most surely come first. */
function stripsOf(comparisons: readonly Comparison[]): Strip[] {
  const targets = [...new Set(comparisons.flatMap(({ targets: of }) => of.map(({ b }) => b)))];
  const strips = targets.map((target): Strip => {
    const found = comparisons.map((one) => one.targets.find(({ b }) => b === target)?.estimate);
    return {
      target,
      surest: Math.min(1, ...found.map((estimate) => estimate?.p ?? 1)),
      marks: found.map((estimate, index) => ({
        letter: sideOf(index + 1),
        difference: estimate?.difference ?? null,
        interval: estimate?.ci ?? null,
      })),
    };
  });
  return strips.length > SHOWN ? strips.toSorted((one, other) => one.surest - other.surest) : strips;
}
