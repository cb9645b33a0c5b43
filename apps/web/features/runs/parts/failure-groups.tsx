import { Link } from '@tanstack/react-router';
import type { FailureGroup } from '#lib/contracts/run-facets';
import type { ErrorType } from '#lib/contracts/verdict';
import { count } from '../../../ui/amounts';
import { Table } from '../../../ui/table';
import { UserLine } from '../../../ui/user-text';
import { errorWord } from '../../results/address';
import css from './figures.module.css';
import { toolWords } from './tool-words';

/** Which failures are grouped: of one error type or of all; by the verdicts of a rescore, or the run's own. */
export interface GroupsSearch {
  type?: ErrorType;
  rescore?: string;
}

/** Maximum number of results drawn from a group. */
export const DRAWN = 40;
/** "open 40 of 1,204 at random" */
const openWords = (n: number): string =>
  n > DRAWN ? `open ${DRAWN} of ${count(n)} at random` : `open ${n === 1 ? 'it' : `all ${n}`}`;

interface Props {
  runId: string;
  search?: GroupsSearch;
  groups: readonly FailureGroup[];
  /** The group that is open. */
  chosen?: string;
}

/** Failures grouped by cause: the error, the tools, the argument, the count, and one example. */
export function FailureGroupRows({ runId, search, groups, chosen }: Props) {
  return (
    <Table
      label="List of failure groups"
      className={css.groups}
      rows={groups}
      keyOf={({ id }) => id}
      rowProps={({ id }) => ({ 'aria-current': id === chosen ? 'true' : undefined })}
      columns={[
        { name: 'Results', isNumber: true, cell: (group) => count(group.count) },
        { name: 'Error', isHeading: true, cell: (group) => errorWord(group.error_type) },
        { name: 'Expected', className: 'named', cell: (group) => <UserLine text={toolWords(group.expected_tool)} /> },
        {
          name: 'Called',
          className: 'named',
          cell: ({ called_tool: called, error_type: type }) => (
            <UserLine text={toolWords(called).replaceAll('_', type === 'errored' ? ' ' : '_')} />
          ),
        },
        {
          name: 'Argument',
          className: 'named',
          cell: ({ argument }) => argument !== null && <UserLine text={argument} />,
        },
        {
          name: 'Example',
          cell: ({ example, error_type: type }) => (
            <Link
              to="/runs/$runId/results/$resultId"
              params={{ runId, resultId: example }}
              search={{ type: [type], rescore: search?.rescore }}
            >
              one result
            </Link>
          ),
        },
        {
          name: 'Open',
          isNameHidden: true,
          cell: ({ id, count: n }) => (
            <Link to="/runs/$runId/failures" params={{ runId }} search={{ ...search, group: id, seed: 1 }}>
              {openWords(n)}
            </Link>
          ),
        },
      ]}
    />
  );
}
