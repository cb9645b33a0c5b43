import { Link } from '@tanstack/react-router';
import type { ComparedTarget, Comparison, Estimate } from '#lib/contracts/comparison';
import { count, percent } from '../../../ui/amounts';
import { LazyDetails } from '../../../ui/details';
import { Deltas, deltaText, type DeltaRow } from '../../../ui/figures/delta';
import { useFirst } from '../../../ui/figures/first-of';
import { Numbers } from '../../../ui/figures/numbers';
import { Notes } from '../../../ui/notices';
import { UserLine } from '../../../ui/user-text';
import { ModelName, useShortNames } from '../../providers/parts/model-name';
import type { ModelNames } from '../../providers/parts/model-names';
import { sideIn, withFilter, type CompareSearch } from '../address';
import { rowOf } from '../parts/estimate-row';

interface Props {
  comparison: Comparison;
  search: CompareSearch;
}

/** Models that are shown before more are asked for. */
const SHOWN = 8;

/** The difference of each model, with its interval, and the numbers. @param isOne whether no other run is compared */
export function ComparisonFigures({ comparison, search, isOne }: Props & { isOne: boolean }) {
  const { all, b, targets } = comparison;
  const side = sideIn(search, b.id);
  const names = useShortNames(targets.map((target) => target.b));
  const { shown, more } = useFirst(surestFirst(targets), SHOWN, 'models');
  return (
    <section aria-label="Figures" className="section">
      {all.difference !== null && (
        <>
          {targets.length > 1 && isOne && (
            <Deltas
              label={`How much ${side} differs from A, in points, with 95 % intervals`}
              rows={[
                rowOf('all', <strong>all {count(targets.length)} models</strong>, all),
                ...shown.map((target) => modelRow(target, search, names)),
              ]}
            />
          )}
          {isOne && more && (
            <p>
              {more} <span className="muted small">These differ most surely.</span>
            </p>
          )}
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

const surestFirst = (targets: readonly ComparedTarget[]): ComparedTarget[] =>
  targets.length <= SHOWN
    ? [...targets]
    : targets.toSorted((one, other) => (one.estimate.p ?? 1) - (other.estimate.p ?? 1));

const pairName = (a: string, b: string): string => (a === b ? a : `${a}, ${b}`);

function modelRow({ a, b, estimate }: ComparedTarget, search: CompareSearch, names: ModelNames): DeltaRow {
  const next = withFilter(search, { target: search.target === b ? undefined : b });
  const label = (
    <Link to="/compare" search={next} hash="pairs" resetScroll={false}>
      {a === b ? <ModelName target={b} of={names} /> : <UserLine text={pairName(a, b)} />}
    </Link>
  );
  return rowOf(`${a}~${b}`, label, estimate, true);
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
  const words = left.length === 1 ? '1 model is' : `${count(left.length)} models are`;
  return (
    <LazyDetails summary={`${words} not compared, because only one run has ${left.length === 1 ? 'it' : 'them'}`}>
      {() => (
        <ul>
          {left.map((target) => (
            <li key={target}>
              <ModelName target={target} />
            </li>
          ))}
        </ul>
      )}
    </LazyDetails>
  );
}
