import type { Run } from '#lib/contracts/run';
import type { ErrorType } from '#lib/contracts/verdict';
import { count, Score } from '../../../../ui/score';
import { Table, type Column } from '../../../../ui/table';
import { UserLine } from '../../../../ui/user-text';
import { ERROR_WORDS } from '../../../results/address';
import { ResultsLink } from '../../parts/run-link';
import { RunConfusion } from './run-confusion';
import { RunGroups } from './run-groups';
import { RunHints } from './run-hints';
import { RunHistograms } from './run-histograms';
import css from './run.module.css';

const SHOWN_CATEGORIES = 50;

/** Results by error, group, tool, category and time. Each figure links to the results behind it. */
export function RunBreakdown({ run }: { run: Run }) {
  return (
    <>
      <RunHints run={run} />
      <ErrorTypes run={run} />
      <RunGroups run={run} />
      <RunConfusion run={run} />
      <RunHistograms run={run} />
      <Categories run={run} />
    </>
  );
}

function ErrorTypes({ run: { id: runId, summaries } }: { run: Run }) {
  const totalOf = (type: ErrorType): number =>
    summaries.reduce((sum, { error_counts: counts }) => sum + (counts[type] ?? 0), 0);
  const types = (Object.keys(ERROR_WORDS) as ErrorType[])
    .filter((type) => type !== 'none' && totalOf(type) > 0)
    .sort((one, other) => totalOf(other) - totalOf(one));
  const most = Math.max(1, ...summaries.flatMap(({ error_counts: counts }) => types.map((type) => counts[type] ?? 0)));
  if (summaries.length === 0) return null;
  return (
    <section aria-labelledby="errors" className="section">
      <h2 id="errors">Errors</h2>
      {types.length === 0 ? (
        <p>None: every result passed without an error.</p>
      ) : (
        <Table
          label="Errors by type and model"
          className={css.matrix}
          rows={types}
          keyOf={(type) => type}
          columns={[
            {
              name: 'Error',
              isHeading: true,
              cell: (type) => (
                <ResultsLink runId={runId} search={{ type: [type] }}>
                  {ERROR_WORDS[type]}
                </ResultsLink>
              ),
            },
            ...summaries.map(({ target, error_counts: counts }): Column<ErrorType> => ({
              name: <UserLine text={target} />,
              cell: (type) => <ErrorCell runId={runId} target={target} type={type} n={counts[type] ?? 0} most={most} />,
            })),
          ]}
        />
      )}
    </section>
  );
}

interface Cell {
  runId: string;
  target: string;
  type: ErrorType;
  n: number;
  /** The table's maximum, whose bar fills its cell. */
  most: number;
}

function ErrorCell({ runId, target, type, n, most }: Cell) {
  if (n === 0) return <span className="muted">0</span>;
  return (
    <ResultsLink
      runId={runId}
      search={{ type: [type], model: [target] }}
      className={css.barLink}
      label={`${n} ${ERROR_WORDS[type]}, ${target.slice(0, 100)}`}
    >
      <span
        className={type === 'errored' ? `${css.bar} ${css.errored}` : css.bar}
        style={{ width: `${(n / most) * 60}%` }}
      />
      {count(n)}
    </ResultsLink>
  );
}

function Categories({ run: { id: runId, summaries } }: { run: Run }) {
  const categories = [...new Set(summaries.flatMap(({ by_category: by }) => Object.keys(by)))].sort();
  if (categories.length === 0) return null;
  return (
    <section aria-labelledby="categories" className="section">
      <h2 id="categories">Categories</h2>
      <Table
        label="Scores by category and model"
        className={css.matrix}
        rows={categories.slice(0, SHOWN_CATEGORIES)}
        keyOf={(category) => category}
        columns={[
          {
            name: 'Category',
            isHeading: true,
            className: 'named',
            cell: (category) => (
              <ResultsLink runId={runId} search={{ category: [category] }}>
                <UserLine text={category} />
              </ResultsLink>
            ),
          },
          ...summaries.map(({ target, by_category: by }): Column<string> => ({
            name: <UserLine text={target} />,
            cell: (category) => {
              const group = Object.hasOwn(by, category) && by[category];
              return (
                group && (
                  <Score mean={group.overall} ci={group.overall_ci} scored={group.scored} errored={group.errored} />
                )
              );
            },
          })),
        ]}
      />
      {categories.length > SHOWN_CATEGORIES && (
        <p className="muted">{count(categories.length - SHOWN_CATEGORIES)} more categories are in the export.</p>
      )}
    </section>
  );
}
