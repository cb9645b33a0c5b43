import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FailureGroup } from '#lib/contracts/run-facets';
import { errorWord } from '../address/results';
import { GivenLine } from './given';
import { count } from './score';
import { toolWords } from './tool-words';

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
    <div className="wide" tabIndex={0} role="region" aria-label="Groups of what did not pass">
      <table className="group-rows">
        <thead>
          <tr>
            <th className="number">Results</th>
            <th>Error</th>
            <th>Expected</th>
            <th>Called</th>
            <th>Argument</th>
            <th>Example</th>
            <th>
              <span className="unseen">Open</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.id} aria-current={group.id === chosen ? 'true' : undefined}>
              <td className="number">{count(group.count)}</td>
              <th scope="row">{errorWord(group.error_type)}</th>
              <td className="named">
                <GivenLine text={toolWords(group.expected_tool)} />
              </td>
              <td className="named">
                <GivenLine
                  text={toolWords(group.called_tool).replaceAll('_', group.error_type === 'errored' ? ' ' : '_')}
                />
              </td>
              <td className="named">{group.argument !== null && <GivenLine text={group.argument} />}</td>
              <td>
                <Link
                  to="/runs/$runId/results/$resultId"
                  params={{ runId, resultId: group.example }}
                  search={{ type: [group.error_type], rescore }}
                >
                  one of them
                </Link>
              </td>
              <td>{link(group)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
