import { useQuery } from '@tanstack/react-query';
import type { Lane } from '#lib/contracts/lane';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { ConfirmDialog } from '../../../ui/dialog';
import { Skeleton } from '../../../ui/query-boundary';
import { undo } from '../../../ui/undo';
import { UserText, visible } from '../../../ui/user-text';
import { laneWaitingQuery, pauseLane } from '../api';
import { PeopleWaiting } from './waiting-people';

const refresh = (): Promise<unknown> =>
  Promise.all([keys.lanes, keys.jobs].map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** Says whom a pause stops, and pauses. It can be undone for a while, and by Resume after that. */
export function PauseLane({ lane, close }: { lane: Lane; close: () => void }) {
  const { data: who } = useQuery(laneWaitingQuery(lane.id));
  const name = visible(lane.name.slice(0, 100));
  const resume = useAction(pauseLane, refresh);
  const pause = useAction(pauseLane, async () => {
    close();
    undo.offer({ text: `Paused ${name}.`, undo: () => resume.mutateAsync({ id: lane.id, isPaused: false }) });
    await refresh();
  });
  return (
    <ConfirmDialog
      title={`Pause ${name}?`}
      action="Pause"
      isPending={pause.isPending}
      error={pause.error}
      act={() => pause.mutate({ id: lane.id, isPaused: true })}
      close={close}
    >
      <p>
        {lane.providers.length === 0 ? (
          'No new request is sent.'
        ) : (
          <>
            No new request goes to <UserText text={lane.providers.join(', ')} max={300} />.
          </>
        )}
      </p>
      {who === undefined && <Skeleton rows={2} />}
      {who?.jobs_count === 0 && <p>Nobody waits now.</p>}
      {who !== undefined && who.jobs_count > 0 && (
        <>
          <p>It stops:</p>
          <PeopleWaiting who={who} />
        </>
      )}
    </ConfirmDialog>
  );
}
