import { Link } from '@tanstack/react-router';
import type { FailureGroup } from '#lib/contracts/run-facets';
import type { ErrorType } from '#lib/contracts/verdict';
import { count } from '../../../ui/amounts';
import { Table } from '../../../ui/table';
import { UserLine } from '../../../ui/user-text';
import { errorWord } from '../../results/filter-words';
import { groupWords } from './failure-words';
import { ModelStrip } from './model-strip';
import css from './figures.module.css';

/** Which failures are grouped: of one error type or of all; by the verdicts of a rescore, or the run's own. */
export interface GroupsSearch {
  type?: ErrorType;
  rescore?: string;
}

/** Maximum number of results drawn from a group. */
export const DRAWN = 40;

interface Props {
  runId: string;
  groups: readonly FailureGroup[];
  /** The models of the run, to say which of them failed so. */
  targets: readonly string[];
}

/** The largest groups of failures, each a link to its results. */
export const FailureGroupRows = ({ runId, groups, targets }: Props) => (
  <Table
    label="List of failure groups"
    className={css.groups}
    hasCards
    rows={groups}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Results', isNumber: true, onPhone: 'line', cell: (group) => count(group.count) },
      { name: 'Error', isHeading: true, onPhone: 'line', cell: (group) => errorWord(group.error_type) },
      {
        name: 'What differs',
        className: css.differs,
        onPhone: 'title',
        cell: (group) => (
          <Link to="/runs/$runId/failures" params={{ runId }} search={{ group: group.id, seed: 1 }}>
            <UserLine text={groupWords(group)} />
          </Link>
        ),
      },
      ...(targets.length > 1
        ? [
            {
              name: 'Models',
              cell: ({ by_target: byTarget }: FailureGroup) => <ModelStrip targets={targets} counts={byTarget} />,
            },
          ]
        : []),
    ]}
  />
);
