import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { differenceWords } from '#lib/contracts/difference-words';
import type { Run } from '#lib/contracts/run';
import type { FailureGroup } from '#lib/contracts/run-facets';
import { count } from '../../../ui/amounts';
import { Table } from '../../../ui/table';
import { UserLine, UserText } from '../../../ui/user-text';
import { ModelName, useModelLabel } from '../../providers/parts/model-name';
import { errorWord } from '../../results/filter-words';
import type { Result } from '../../results/api';
import { drawQuery } from '../api';
import { Counted } from '../parts/counted';
import { DRAWN, type GroupsSearch } from '../parts/failure-groups';
import { groupWords } from '../parts/failure-words';
import css from '../parts/figures.module.css';

interface Props {
  run: Run;
  group: FailureGroup;
  seed: number;
  search: GroupsSearch;
  targets: readonly string[];
  /** Whether somebody chose the group; else it is the largest one. */
  isChosen: boolean;
}

const BESIDE_THE_TREE = '(min-width: 1100px)';

/** A random sample of a group's results. The same address shows the same sample in any browser. */
export function GroupSample({ run, group, seed, search, targets, isChosen }: Props) {
  const params = { runId: run.id };
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Below the tree it would be out of sight. Beside it, the focus stays in the tree.
    if (isChosen && !matchMedia(BESIDE_THE_TREE).matches) title.current?.focus();
  }, [isChosen]);
  return (
    <section aria-labelledby="drawn">
      <div className="head">
        <h2 id="drawn" tabIndex={-1} ref={title}>
          {group.count > DRAWN ? `${DRAWN} of ${count(group.count)}, drawn at random` : `All ${count(group.count)}`}
        </h2>
        <div className="actions">
          {group.count > DRAWN && (
            <Link
              to="/runs/$runId/failures"
              params={params}
              search={{ ...search, group: group.id, seed: seed + 1 }}
              className="button"
            >
              Draw again
            </Link>
          )}
        </div>
      </div>
      <p>
        {errorWord(group.error_type)}: <UserText text={groupWords(group)} max={300} />.{' '}
        <ByModel group={group} targets={targets} />
      </p>
      <Counted
        run={run}
        query={drawQuery(run.id, group.id, seed, search.rescore)}
        rows={Math.min(DRAWN, group.count) + 1}
      >
        {({ items }) => <SampleTable {...{ run, group, search, items }} />}
      </Counted>
    </section>
  );
}

const MAX_MODELS = 3;

function ByModel({ group, targets }: Pick<Props, 'group' | 'targets'>) {
  const labelOf = useModelLabel();
  const models = targets
    .map((target, ordinal) => ({ target, n: group.by_target[ordinal] ?? 0 }))
    .filter(({ n }) => n > 0)
    .sort((one, other) => other.n - one.n);
  return (
    <span className="muted">
      {models.slice(0, MAX_MODELS).map(({ target, n }, index) => (
        <span key={target}>
          {index > 0 && ', '}
          <UserText text={labelOf(target)} max={100} /> {count(n)}
        </span>
      ))}
      {models.length > MAX_MODELS && ` and ${models.length - MAX_MODELS} more models`}.
    </span>
  );
}

interface SampleProps extends Pick<Props, 'run' | 'group' | 'search'> {
  items: readonly Result[];
}

function SampleTable({ run, group, search, items }: SampleProps) {
  return (
    <Table
      label="Drawn results"
      className={css.drawn}
      hasCards
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Case',
          isHeading: true,
          onPhone: 'title',
          className: 'named',
          cell: (result) => (
            <Link
              to="/runs/$runId/results/$resultId"
              params={{ runId: run.id, resultId: result.id }}
              search={{ type: [group.error_type], rescore: search.rescore }}
            >
              <UserLine text={result.case_name ?? result.prompt} />
            </Link>
          ),
        },
        {
          name: 'Model, and what differs',
          className: css.differs,
          cell: ({ target, difference }) => (
            <>
              <ModelName target={target} />
              {difference && (
                <span className="muted">
                  <UserLine text={differenceWords(difference)} />
                </span>
              )}
            </>
          ),
        },
      ]}
    />
  );
}
