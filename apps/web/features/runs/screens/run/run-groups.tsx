import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { Section } from '../../../../ui/query-boundary';
import { count } from '../../../../ui/score';
import { failureGroupsQuery } from '../../api';
import { Counted } from '../../parts/counted';
import { FailureGroupRows } from '../../parts/failure-groups';

/** The largest ones are the most useful; the full list has its own screen. */
const SHOWN = 5;

/** Failure groups: a group more often has one common cause than a single result does. */
export function RunGroups({ run }: { run: Run }) {
  const params = { runId: run.id };
  return (
    <Section
      id="groups"
      title="Failure groups"
      action={
        <div className="actions">
          <Link to="/runs/$runId/failures" params={params}>
            All groups
          </Link>
          <Link to="/runs/$runId/matrix" params={params}>
            Cases by model
          </Link>
        </div>
      }
    >
      <Counted run={run} query={failureGroupsQuery(run.id)} rows={SHOWN + 1}>
        {({ items }) => (
          <>
            {items.length === 0 && <p>None: every result passed.</p>}
            {items.length > 0 && <FailureGroupRows groups={items.slice(0, SHOWN)} runId={run.id} />}
            {items.length > SHOWN && (
              <p className="muted small">The largest of {count(items.length)} groups are shown.</p>
            )}
          </>
        )}
      </Counted>
    </Section>
  );
}
