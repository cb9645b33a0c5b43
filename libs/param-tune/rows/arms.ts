import type { JsonObject } from '#lib/contracts/json/json';
import { parseJson } from '#lib/contracts/json/json';
import { BatchColumns } from '#lib/db/connection/batch-columns';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import type { TuneArm } from '../contract.js';
import type { ArmFigures, TuneRequestTarget, TuneRequest } from './param-tunes.js';

/** The request of a parameter tune, as stored in its orchestration. */
export type StoredTune = TuneRequest<ResolvedTarget>;
export type StoredTuneTarget = TuneRequestTarget<ResolvedTarget>;

/** An arm as stored before it is measured. */
export interface NewTuneArm {
  /** The ordinal of its model. */
  target: number;
  arm: number;
  config: JsonObject;
  settings: object;
  levels: number[];
  changes: number;
  /** The parameters of its requests; null when the model's provider is unknown. */
  resolved: JsonObject | null;
  adjustments: string[];
  sameAs: number | null;
}

const ARMS = new BatchColumns<NewTuneArm>({
  target: ['smallint', ({ target }) => target],
  arm: ['int', ({ arm }) => arm],
  config: ['text', ({ config }) => JSON.stringify(config)],
  settings: ['text', ({ settings }) => JSON.stringify(settings)],
  levels: ['text', ({ levels }) => JSON.stringify(levels)],
  changes: ['smallint', ({ changes }) => changes],
  resolved: ['text', ({ resolved }) => resolved && JSON.stringify(resolved)],
  adjustments: ['text', ({ adjustments }) => JSON.stringify(adjustments)],
  same_as: ['int', ({ sameAs }) => sameAs],
});

export async function storeArms(client: PoolClient, tuneId: string, arms: readonly NewTuneArm[]): Promise<void> {
  await client.query(`INSERT INTO tune_arm (tune_id, ${ARMS.names}) SELECT $1, ${ARMS.names} FROM ${ARMS.unnest(2)}`, [
    tuneId,
    ...ARMS.values(arms),
  ]);
}

/** An arm, reduced to what the steps of a tune need. */
export interface TunedArm {
  arm: number;
  config: JsonObject;
  settings: JsonObject;
  levels: number[];
  changes: number;
  /** Its stored measurements; null until it is measured. */
  known: { rung: string | null; figures: string } | null;
}

/** The distinct arms of each model: those whose requests equal no other arm's, in order. */
export async function readDistinctArms(db: Pool | PoolClient, tuneId: string): Promise<Map<number, TunedArm[]>> {
  const { rows } = await db.query<{
    target: number;
    arm: number;
    config: string;
    settings: string;
    levels: string;
    changes: number;
    rung: string | null;
    figures: string | null;
  }>(
    `SELECT target, arm, config, settings, levels, changes, rung, figures FROM tune_arm
     WHERE tune_id = $1 AND same_as IS NULL ORDER BY target, arm`,
    [tuneId],
  );
  const arms = rows.map(({ target, arm, config, settings, levels, changes, rung, figures }) => ({
    target,
    arm: {
      arm,
      config: parseJson(config) as JsonObject,
      settings: parseJson(settings) as JsonObject,
      levels: JSON.parse(levels) as number[],
      changes,
      known: figures === null ? null : { rung, figures },
    },
  }));
  return new Map(
    [...Map.groupBy(arms, ({ target }) => target)].map(([target, of]) => [target, of.map(({ arm }) => arm)]),
  );
}

/** The rung that an arm has reached, and its measurements. */
export interface ArmProgress {
  target: number;
  arm: number;
  state: TuneArm['state'];
  /** Null: unchanged. */
  rung: string | null;
  tied: boolean;
  /** Null: unchanged. */
  figures: ArmFigures | null;
}

const PROGRESS = new BatchColumns<ArmProgress>({
  target: ['smallint', ({ target }) => target],
  arm: ['int', ({ arm }) => arm],
  state: ['text', ({ state }) => state],
  rung: ['text', ({ rung }) => rung],
  tied: ['boolean', ({ tied }) => tied],
  figures: ['text', ({ figures }) => figures && JSON.stringify(figures)],
});

export async function updateArms(client: PoolClient, tuneId: string, arms: readonly ArmProgress[]): Promise<void> {
  if (arms.length === 0) return;
  await client.query(
    `UPDATE tune_arm a SET state = u.state, rung = coalesce(u.rung, a.rung), tied = u.tied,
       figures = coalesce(u.figures, a.figures)
     FROM ${PROGRESS.unnest(2)} WHERE a.tune_id = $1 AND a.target = u.target AND a.arm = u.arm
       AND (u.figures IS NOT NULL OR (a.state, a.rung, a.tied) IS DISTINCT FROM (u.state, u.rung, u.tied))`,
    [tuneId, ...PROGRESS.values(arms)],
  );
}
