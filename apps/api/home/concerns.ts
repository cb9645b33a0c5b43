import type { Concern } from '#lib/contracts/home';
import type { RunAgainst } from '#lib/contracts/run';
import { LaneRepository } from '#lib/db/catalogue/lanes';
import type { Pool } from '#lib/db/connection/pool';
import type { GateToDecide } from '#lib/db/read/home';
import { points } from '#lib/comparison/points';
import { readLaneState, type LaneState } from '#lib/queue/budget/lane-state';
import type { Redis } from '#lib/runtime/redis';

const NOTHING: Omit<Concern, 'kind' | 'text'> = {
  ...{ suite: null, since: null, run: null, against: null, gate: null, result: null, lane: null, state: null },
  waiting: 0,
};

interface Compared {
  id: string;
  name: string | null;
  against: RunAgainst | null;
}

/** Whether a run, or one of its models, is worse than what it is compared with. */
export const isWorse = ({ against }: Pick<Compared, 'against'>): boolean =>
  against !== null && (against.verdict === 'regressed' || against.regressed > 0);

/** Whether a run is shown to be as good as what it is compared with, or better. */
export const isAsGood = (run: Pick<Compared, 'against'>): boolean =>
  run.against !== null && ['same', 'improved'].includes(run.against.verdict) && !isWorse(run);

export function concernOfRun(suite: { id: string; name: string }, last: Compared, since: Compared): Concern {
  const against = last.against!;
  const by = [
    ...(against.verdict === 'regressed' && against.difference !== null ? [points(against.difference)] : []),
    ...(against.worst?.difference == null ? [] : [`${against.worst.target} ${points(against.worst.difference)}`]),
  ].join('; ');
  return {
    ...NOTHING,
    kind: 'worse',
    text: `${suite.name} is worse since ${since.name ?? 'its last run'}${by && ` (${by})`}.`,
    suite: { id: suite.id, name: suite.name },
    since: { id: since.id, name: since.name },
    run: { id: last.id, name: last.name },
    against,
  };
}

const RESULTS: Record<GateToDecide['result'], string> = { fail: 'failed', inconclusive: 'too close to call' };

export const concernOfGate = (gate: GateToDecide): Concern => ({
  ...NOTHING,
  kind: 'gate',
  text: `Gate ${gate.name}: ${RESULTS[gate.result]}.`,
  suite: gate.suite_name === null ? null : { id: gate.suite_id, name: gate.suite_name },
  run: { id: gate.run_id, name: gate.run_name },
  gate: { id: gate.id, name: gate.name },
  result: gate.result,
});

const STATES: Record<NonNullable<Concern['state']>, string> = {
  paused: 'is paused',
  down: 'sends nothing: its provider is down',
  blocked: 'waits: its provider asked for it',
};

/** The lanes for which requests wait while none is sent; that Redis cannot be reached, if so. */
export async function lanesInTrouble(
  { pool, redis }: { pool: Pool; redis: Redis },
  teamId: string,
): Promise<Concern[]> {
  const lanes = await new LaneRepository(pool, teamId).list();
  const busy = lanes.filter(({ backlog, waiting }) => backlog + waiting > 0);
  let isRedisDown = false;
  const found = await Promise.all(
    busy.map(async ({ id, name, paused_at: pausedAt, backlog }): Promise<Concern[]> => {
      const now = await readLaneState(redis, id).catch(() => undefined);
      isRedisDown ||= now === undefined;
      const state = pausedAt === null ? stateOf(now) : 'paused';
      if (state === null) return [];
      const items = `${backlog.toLocaleString('en')} ${backlog === 1 ? 'item waits' : 'items wait'}`;
      const text = `Lane ${name} ${STATES[state]}; ${items}.`;
      return [{ ...NOTHING, kind: 'lane', text, lane: { id, name }, state, waiting: backlog }];
    }),
  );
  const redisDown: Concern = {
    ...NOTHING,
    kind: 'redis',
    text: 'Redis cannot be reached. No requests are sent to models until it is back.',
  };
  return [...(isRedisDown ? [redisDown] : []), ...found.flat()];
}

function stateOf(now: LaneState | undefined): Concern['state'] {
  if (now?.outage) return 'down';
  return now?.blockedUntil === undefined ? null : 'blocked';
}
