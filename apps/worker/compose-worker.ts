import { ComparisonThreads } from '#lib/comparison/threads/comparison-threads';
import { LaneQueues } from '#lib/queue/lane-queue';
import { notify } from '#lib/events/notifications';
import type { Env } from '#lib/runtime/env';
import { newId } from '#lib/runtime/ids';
import type { KeyRefs } from '#lib/runtime/key-refs';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { ControlLoop } from './control/control-loop.js';
import { StepPools } from './control/step-pools.js';
import { Liveness } from './health/liveness.js';
import { LoopWatch } from './health/loop-watch.js';
import { Presence } from './health/presence.js';
import { LaneMeters } from './health/worker-metrics.js';
import { Fleet } from './fleet/fleet.js';
import { ClaimedItems } from './items/claimed-items.js';
import { composeItems } from './compose-items.js';
import { LaneWorkers } from './items/lane-workers.js';
import { DeliveryProcessor } from './items/process-delivery.js';
import { Quarantine } from './items/quarantine.js';
import { Settler } from './items/settle.js';

export type WorkerParts = ReturnType<typeof composeWorker>;

/**
 * Creates and wires all parts of a worker. This is plain code rather than a tree of Nest providers: a quarantine
 * process needs half of the parts without an application, and the order in which they stop decides whether items are
 * lost, so it is written out (shutdown.ts) instead of derived. Nest serves the HTTP health checks and calls the life
 * cycle hooks (worker-process.ts).
 */
export function composeWorker(env: Env, logger: Logger, keyRefs: KeyRefs) {
  const workerId = `worker-${newId()}`;
  const meters = new LaneMeters();
  const services = composeItems(env, logger, {
    keyRefs,
    meters,
    maxConnections: env.TOOLMARK_DATABASE_POOL,
    onAttempt: (laneId, failure, seconds) => meters.find(laneId)?.recordAttempt(failure?.kind, seconds),
  });
  const { pool, redis, sealer, runs, budgets, embedder, scorer, runner } = services;

  const settler = new Settler({
    pool,
    logger,
    onSettled: (runsMoved) => {
      const ended = [...runsMoved].filter(([, run]) => run.ended).map(([runId]) => runId);
      if (ended.length) control.targetsEnded(ended);
      for (const runId of runsMoved.keys()) void notify(redis, { topic: 'job', id: runId });
    },
  });
  const items = new ClaimedItems(pool, workerId, logger, env.DATABASE_URL);
  const quarantine = new Quarantine(logger);
  const processor = new DeliveryProcessor({ pool, workerId, items, runner, quarantine, settler, budgets, logger });
  const connect = (use: 'worker' | 'producer') => connectRedis(env.REDIS_URL, use, logger);
  const laneWorkers = new LaneWorkers({
    budgets,
    meters,
    connect,
    processor: dispatchingAfterwards(processor, (laneId) => control.dispatch([laneId])),
    logger,
  });
  const hasRedis = () => answers(redis.ping()).then((isUp) => isUp && !health.liveness.isStuck);
  const fleet = new Fleet({ pool, workerId, hasRedis });

  const pools = new StepPools(env.DATABASE_URL, logger);
  const comparing = new ComparisonThreads({ databaseUrl: env.DATABASE_URL });
  const control = new ControlLoop({
    ...{ pool, pools, fleet, redis, queues: new LaneQueues(redis), laneWorkers, settler, budgets, runs, meters },
    ...{ embedder, scorer, sealer, comparing, workerId, logger },
    keepExchangesDays: env.TOOLMARK_KEEP_EXCHANGES_DAYS,
    keepAuditDays: env.TOOLMARK_KEEP_AUDIT_DAYS,
  });
  const health = composeHealth({ pool, redis, meters, laneWorkers, fleet, workerId, logger });
  const subscriber = connectRedis(env.REDIS_URL, 'subscriber', logger);
  return { services, items, processor, laneWorkers, pools, comparing, fleet, control, ...health, subscriber, logger };
}

/** An item that has ended leaves room in its lane. */
const dispatchingAfterwards = (
  processor: DeliveryProcessor,
  dispatch: (laneId: string) => void,
): Pick<DeliveryProcessor, 'process'> => ({
  process: (lane, delivery) => processor.process(lane, delivery).finally(() => dispatch(lane.meter.id)),
});

const answers = (reply: Promise<unknown>): Promise<boolean> =>
  reply.then(
    () => true,
    () => false,
  );

/** Detects that this process is stuck or slow, and sends its heartbeats. */
function composeHealth({
  laneWorkers,
  workerId,
  ...of
}: ConstructorParameters<typeof Liveness>[0] & { laneWorkers: LaneWorkers; workerId: string }) {
  const { redis, logger } = of;
  const liveness = new Liveness(of);
  return {
    liveness,
    presence: new Presence({
      redis,
      workerId,
      isStuck: () => liveness.isStuck,
      takeResults: () => of.meters.takeResults(),
    }),
    loopWatch: new LoopWatch({ pause: () => laneWorkers.hold(), resume: () => laneWorkers.resume(), logger }),
  };
}
