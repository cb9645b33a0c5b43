import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FailureGroup } from '#lib/contracts/run-facets';
import { errorWord } from '../../results/address';
import { UserLine } from '../../../ui/user-text';
import { count } from '../../../ui/score';
import { toolWords } from './tool-words';
import { Table } from '../../../ui/table';

/** Maximum number of results drawn from a group. */
const DRAWN = 40;
/** "open 40 of 1,204 at random" */
export const openWords = (n: number): string =>
  n > DRAWN ? `open ${DRAWN} of ${count(n)} at random` : `open ${n === 1 ? 'it' : `all ${n}`}`;

interface Props {
  runId: string;
  /** Whose verdicts are grouped; default: the run's own. */
  rescore?: string | undefined;
  groups: readonly FailureGroup[];
  /** Links to the results of a group. */
  link: (group: FailureGroup) => ReactNode;
  /** The group that is open. */
  chosen?: string;
}

/** Failures grouped by cause: the error, the tools, the argument, the count, and one example. */
export function FailureGroupRows({ runId, rescore, groups, link, chosen }: Props) {
  return (
    <Table
      label="List of failure groups"
      className="group-rows"
      rows={groups}
      keyOf={({ id }) => id}
      rowProps={({ id }) => ({ 'aria-current': id === chosen ? 'true' : undefined })}
      columns={[
        { name: 'Results', isNumber: true, cell: (group) => count(group.count) },
        { name: 'Error', isHeading: true, cell: (group) => errorWord(group.error_type) },
        {
          name: 'Expected',
          className: 'named',
          cell: (group) => <UserLine text={toolWords(group.expected_tool)} />,
        },
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
          cell: (group) => (
            <Link
              to="/runs/$runId/results/$resultId"
              params={{ runId, resultId: group.example }}
              search={{ type: [group.error_type], rescore }}
            >
              one result
            </Link>
          ),
        },
        { name: 'Open', isNameHidden: true, cell: link },
      ]}
    />
  );
}
