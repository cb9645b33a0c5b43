import { Link } from '@tanstack/react-router';
import type { FailureGroup } from '#lib/contracts/run-facets';
import type { Run } from '#lib/contracts/run';
import { failureGroupsQuery } from '../../api/counted';
import { Counted } from '../../parts/counted';
import { FailureGroupRows, openWords } from '../../parts/failure-group-rows';
import { count } from '../../../../ui/score';

/** The largest ones are the most useful; the full list has its own screen. */
const SHOWN = 5;

/** Failure groups: a group more often has one common cause than a single result does. */
export function RunGroups({ run }: { run: Run }) {
  return (
    <section aria-labelledby="groups" className="section">
      <div className="head">
        <h2 id="groups">Failure groups</h2>
        <div className="actions">
          <Link to="/runs/$runId/failures" params={{ runId: run.id }}>
            All groups
          </Link>
          <Link to="/runs/$runId/matrix" params={{ runId: run.id }}>
            Cases by model
          </Link>
        </div>
      </div>
      <Counted run={run} query={failureGroupsQuery(run.id)} rows={SHOWN + 1}>
        {({ items }) =>
          items.length === 0 ? (
            <p>None: every result passed.</p>
          ) : (
            <>
              <FailureGroupRows groups={items.slice(0, SHOWN)} runId={run.id} link={toGroup(run.id)} />
              {items.length > SHOWN && (
                <p className="muted small">The largest of {count(items.length)} groups are shown.</p>
              )}
            </>
          )
        }
      </Counted>
    </section>
  );
}

const toGroup = (runId: string) => (group: FailureGroup) => (
  <Link to="/runs/$runId/failures" params={{ runId }} search={{ group: group.id, seed: 1 }}>
    {openWords(group.count)}
  </Link>
);
