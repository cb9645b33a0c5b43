import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import type { ErrorType } from '#lib/contracts/verdict';
import { ERROR_WORDS } from '../../address/results';
import { GivenLine } from '../../parts/given';
import { count, Score } from '../../parts/score';
import { ResultsLink } from './results-link';
import { RunConfusion } from './run-confusion';
import { RunGroups } from './run-groups';
import { RunHints } from './run-hints';
import { RunHistograms } from './run-histograms';

const SHOWN_CATEGORIES = 50;

/** Results by error, group, tool, category and time. Each figure links to the results behind it. */
export function RunBreakdown({ run }: { run: Run }) {
  const { summaries } = run;
  return (
    <>
      <RunHints run={run} />
      <ErrorTypes runId={run.id} summaries={summaries} />
      <RunGroups run={run} />
      <RunConfusion run={run} />
      <RunHistograms run={run} />
      <Categories runId={run.id} summaries={summaries} />
    </>
  );
}

interface Part {
  runId: string;
  summaries: Summary[];
}

function ErrorTypes({ runId, summaries }: Part) {
  const totals = new Map<ErrorType, number>();
  for (const { error_counts: counts } of summaries)
    for (const [type, n] of Object.entries(counts) as [ErrorType, number][])
      if (type !== 'none' && n > 0 && type in ERROR_WORDS) totals.set(type, (totals.get(type) ?? 0) + n);
  const types = [...totals].sort(([, one], [, other]) => other - one).map(([type]) => type);
  const most = Math.max(1, ...summaries.flatMap(({ error_counts: counts }) => types.map((type) => counts[type] ?? 0)));
  if (summaries.length === 0) return null;
  return (
    <section aria-labelledby="errors" className="section">
      <h2 id="errors">What went wrong</h2>
      {types.length === 0 ? (
        <p>Nothing: every result passed without an error.</p>
      ) : (
        <div className="wide" tabIndex={0} role="region" aria-label="Errors by type and model">
          <table className="matrix-rows">
            <thead>
              <tr>
                <th>Error</th>
                {summaries.map(({ target }) => (
                  <th key={target} scope="col">
                    <GivenLine text={target} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {types.map((type) => (
                <tr key={type}>
                  <th scope="row">
                    <ResultsLink runId={runId} search={{ type: [type] }}>
                      {ERROR_WORDS[type]}
                    </ResultsLink>
                  </th>
                  {summaries.map(({ target, error_counts: counts }) => (
                    <td key={target}>
                      <ErrorCell runId={runId} target={target} type={type} n={counts[type] ?? 0} most={most} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
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
      className="bar-link"
      label={`${n} ${ERROR_WORDS[type]}, ${target.slice(0, 100)}`}
    >
      <span className={`bar-mark ${type === 'errored' ? 'errored' : ''}`} style={{ width: `${(n / most) * 60}%` }} />
      {count(n)}
    </ResultsLink>
  );
}

function Categories({ runId, summaries }: Part) {
  const categories = [...new Set(summaries.flatMap(({ by_category: by }) => Object.keys(by)))].sort();
  if (categories.length === 0) return null;
  return (
    <section aria-labelledby="categories" className="section">
      <h2 id="categories">Categories</h2>
      <div className="wide" tabIndex={0} role="region" aria-label="Scores by category and model">
        <table className="matrix-rows">
          <thead>
            <tr>
              <th>Category</th>
              {summaries.map(({ target }) => (
                <th key={target} scope="col">
                  <GivenLine text={target} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {categories.slice(0, SHOWN_CATEGORIES).map((category) => (
              <CategoryRow key={category} runId={runId} category={category} summaries={summaries} />
            ))}
          </tbody>
        </table>
      </div>
      {categories.length > SHOWN_CATEGORIES && (
        <p className="muted">
          {count(categories.length - SHOWN_CATEGORIES)} more categories are not shown; the export has all of them.
        </p>
      )}
    </section>
  );
}

function CategoryRow({ category, runId, summaries }: Part & { category: string }) {
  return (
    <tr>
      <th scope="row" className="named">
        <ResultsLink runId={runId} search={{ category: [category] }}>
          <GivenLine text={category} />
        </ResultsLink>
      </th>
      {summaries.map(({ target, by_category: by }) => {
        const group = Object.hasOwn(by, category) ? by[category] : undefined;
        return (
          <td key={target}>
            {group && (
              <Score mean={group.overall} ci={group.overall_ci} scored={group.scored} errored={group.errored} />
            )}
          </td>
        );
      })}
    </tr>
  );
}
