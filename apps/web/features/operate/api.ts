import { queryOptions } from '@tanstack/react-query';
import type { Lane, LaneWaiting } from '#lib/contracts/lane';
import type { Page } from '#lib/contracts/page';
import type { SpendingReport } from '#lib/contracts/spending';
import type { System } from '#lib/contracts/system';
import type { Sent } from '../../api/action';
import { client, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { daysOf, type SpendingSearch } from './address';

/** Lanes that a provider uses or that have work. */
export const lanesQuery = readQuery<Page<Lane>>(keys.lanes, '/api/lanes');

/** Who waits on a lane. */
export const laneWaitingQuery = (id: string) => readQuery<LaneWaiting>(keys.lanes, `/api/lanes/${id}/waiting`);

export const pauseLane = ({ id, isPaused }: { id: string; isPaused: boolean }, options: Sent): Promise<Lane> =>
  client.call('POST', `/api/lanes/${id}/${isPaused ? 'pause' : 'resume'}`, undefined, options);

const SYSTEM_REFRESH_MS = 10_000;
/** Worker liveness and store health, polled while it is shown. */
export const systemQuery = {
  ...readQuery<System>(keys.system, '/api/system'),
  refetchInterval: SYSTEM_REFRESH_MS,
};

/** Spending on each day of a range as of today, with a second grouping. */
export const spendingReportQuery = ({ span, by }: SpendingSearch) =>
  queryOptions({
    queryKey: [...keys.spending, span, by],
    queryFn: (context) =>
      read<SpendingReport>(pathWith('/api/spending', { ...daysOf(span, Date.now()), by: `day,${by ?? 'model'}` }))(
        context,
      ),
  });
