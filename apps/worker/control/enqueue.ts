import { distinctRunIds, type LeveledDelivery } from '#lib/db/engine/dispatch-lane';
import type { LaneQueues } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';

/** Adds deliveries to the queue of their lane. The reconciler adds those that Redis did not accept. */
export async function enqueue(
  { queues, logger }: { queues: LaneQueues; logger: Logger },
  laneId: string,
  deliveries: LeveledDelivery[],
): Promise<void> {
  await queues
    .add(laneId, deliveries)
    .catch((error: Error) =>
      logger.warn(
        { lane: laneId, runs: distinctRunIds(deliveries), items: deliveries.length, error: error.message },
        'Items could not be queued; they will be queued within seconds of Redis coming back',
      ),
    );
}
