import { useSuspenseQueries, type UseSuspenseQueryOptions } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import type { Run } from '#lib/contracts/run';
import type { ErrorType } from '#lib/contracts/verdict';
import { useFirst } from '../../../../ui/figures/first-of';
import { Section } from '../../../../ui/query-boundary';
import { count, Score } from '../../../../ui/amounts';
import { Table, type Column } from '../../../../ui/table';
import { naturalOrder } from '../../../../ui/natural-order';
import { UserLine } from '../../../../ui/user-text';
import { ModelName } from '../../../providers/parts/model-name';
import { ERROR_WORDS } from '../../../results/filter-words';
import { confusionQuery, facetsQuery, failedCasesQuery, failureGroupsQuery } from '../../api';
import { Counted } from '../../parts/counted';
import { FailureGroupRows } from '../../parts/failure-groups';
import { ResultsLink } from '../../parts/run-link';
import { RunConfusion, RunHistograms } from './run-figures';
import { RunHints } from './run-hints';
import css from './run.module.css';

/** Results by error, group, tool, category and time. Each figure links to the results behind it. */
export function RunBreakdown({ run }: { run: Run }) {
  const { confusion } = useSearch({ from: '/signed-in/runs/$runId' });
  // All are there before any is shown, so that none moves another.
  useSuspenseQueries({
    queries: [
      failureGroupsQuery(run.id),
      failedCasesQuery(run.id),
      confusionQuery(run.id, useDeferredValue(confusion)),
      facetsQuery(run.id),
    ] as UseSuspenseQueryOptions[],
  });
  return (
    <>
      <RunHints run={run} />
      <ErrorTypes run={run} />
      <FailureGroups run={run} />
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
  const { shown, more } = useFirst(summaries, SHOWN_MODELS, 'models');
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
            ...shown.map(({ target, error_counts: counts }): Column<ErrorType> => ({
              name: <ModelName target={target} />,
              cell: (type) => <ErrorCell runId={runId} target={target} type={type} n={counts[type] ?? 0} most={most} />,
            })),
          ]}
        />
      )}
      {types.length > 0 && more && <div>{more}</div>}
    </section>
  );
}

/** Columns for models, before more are asked for. */
const SHOWN_MODELS = 12;

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

/** The largest ones are the most useful; the full list has its own screen. */
const SHOWN_GROUPS = 5;

/** Failure groups: a group more often has one common cause than a single result does. */
function FailureGroups({ run }: { run: Run }) {
  const params = { runId: run.id };
  return (
    <Section
      id="groups"
      title="Failure groups"
      action={
        <Link to="/runs/$runId/failures" params={params}>
          All groups
        </Link>
      }
    >
      <Counted run={run} query={failureGroupsQuery(run.id)} rows={SHOWN_GROUPS + 1}>
        {({ items, targets }) => (
          <>
            {items.length === 0 && <p>None: every result passed.</p>}
            {items.length > 0 && (
              <FailureGroupRows groups={items.slice(0, SHOWN_GROUPS)} runId={run.id} targets={targets} />
            )}
          </>
        )}
      </Counted>
    </Section>
  );
}

const SHOWN_CATEGORIES = 50;

function Categories({ run: { id: runId, summaries } }: { run: Run }) {
  const { shown, more } = useFirst(summaries, SHOWN_MODELS, 'models');
  const categories = [...new Set(summaries.flatMap(({ by_category: by }) => Object.keys(by)))].sort(naturalOrder);
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
          ...shown.map(({ target, by_category: by }): Column<string> => ({
            name: <ModelName target={target} />,
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
      {more && <div>{more}</div>}
      {categories.length > SHOWN_CATEGORIES && (
        <p className="muted">{count(categories.length - SHOWN_CATEGORIES)} more categories are in the export.</p>
      )}
    </section>
  );
}
