import { setImmediate } from 'node:timers/promises';
import { noted, readNotes, type Note } from '#lib/contracts/note';
import type { Estimate } from '#lib/contracts/comparison';
import { notFound } from '#lib/contracts/input/problem';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { targetName } from '#lib/contracts/target-name';
import { jsonColumn } from '#lib/db/connection/json-column';
import { pageOf, toPage } from '#lib/db/catalogue/page';
import { TeamScoped } from '#lib/db/team-isolation';
import { headOf, selectTunes, timesOf, TuneRows, type TuneRow, type TunesPage } from '#lib/tuning/rows/tune-rows';
import type { TunedTarget, TuneOutcome } from '#lib/tuning/contract';
import type { CombosQuery, ParamTune, ParamTuneInput, TuneArm, TuneSpace } from '../contract.js';
import { SpaceColumns, type SpaceRow } from './space-columns.js';

/** The request of a parameter tune. `Target` is the stored form of a model. */
export interface TuneRequest<Target> {
  asked: ParamTuneInput;
  suite: { id: string; versionId: string; name: string; version: number };
  targets: TuneRequestTarget<Target>[];
  /** Positions of the cases, in an order shared by all arms. */
  tuning: number[];
  heldOut: number[];
  planned: number;
  notes: string[];
  noteDetails?: Note[];
}

export interface TuneRequestTarget<Target> {
  target: Target;
  /** The number of arms, and of those with distinct requests. */
  arms: number;
  distinct: number;
  /** A plan of `libs/param-tune/search/plan-search.ts`. */
  search: unknown;
}

type StoredTune = TuneRequest<{ providerKey: string; modelId: string }>;

/** What the steps of a tune have found; empty at first. */
export interface TuneState {
  /**
   * How many child runs are included in the arms' figures, as counted by the steps of this job. A resume has a new job.
   */
  seen?: number;
  jobId?: string;
  /** Notes added since the tune was submitted. */
  notes?: string[];
  noteDetails?: Note[];
  /** By model, once the searches are over. */
  targets?: TargetOutcome[];
}

export interface TargetOutcome {
  /** Null when nothing is scored. */
  recommended: number | null;
  /** Its values; null when nothing is recommended. */
  config: JsonObject | null;
  /** Its mean over the tuning cases. */
  mean: number | null;
  tied: number[];
  /** The arms that reached the furthest rung, best first. */
  ranking: number[];
  /** The recommended arm minus the base, on the held-out cases. */
  holdout?: Estimate;
  /** Set at the end. */
  outcome?: TuneOutcome | null;
  text?: string | null;
}

/** The measurements of an arm. */
export type ArmFigures = Pick<
  TuneArm,
  | 'cases'
  | 'samples'
  | 'mean'
  | 'ci'
  | 'pass_rate'
  | 'errored'
  | 'cost_usd'
  | 'cost_per_case_usd'
  | 'tokens'
  | 'latency_p50_ms'
  | 'latency_p95_ms'
>;

const SELECT = selectTunes('param_tune');

interface ArmRow extends Pick<TuneArm, 'arm' | 'same_as' | 'state' | 'rung' | 'tied' | 'runs'> {
  target: number;
  config: string;
  resolved: string | null;
  adjustments: string;
  figures: string | null;
}

/** @param chosen the SQL after WHERE; $1 is the tune, $2 the team */
const selectArms = (chosen: string): string => `
  WITH chosen AS (
    SELECT a.* FROM tune_arm a JOIN orchestration o ON o.id = a.tune_id AND o.team_id = $2
    WHERE a.tune_id = $1 AND ${chosen}
  ), runs_of AS (
    SELECT arm, json_agg(json_build_object('eval_id', id, 'rung', step) ORDER BY id) AS runs FROM run
    WHERE orchestration_id = $1 AND arm IN (SELECT target || '.' || arm FROM chosen) GROUP BY arm
  )
  SELECT c.target, c.arm, c.config, c.resolved, c.adjustments, c.same_as, c.state, c.rung, c.tied, c.figures,
    coalesce(r.runs, '[]') AS runs
  FROM chosen c LEFT JOIN runs_of r ON r.arm = c.target || '.' || c.arm ORDER BY c.target, c.arm`;

/** Arms whose columns are filled before other requests get a turn. */
const AT_ONCE = 500;

/** How many combinations are listed for all models together. */
const SHOWN_OVER_MODELS = 5;

/** The parameter tunes of a team. */
export class ParamTuneRepository extends TeamScoped {
  readonly #tunes = new TuneRows(this.db, this.teamId, { one: SELECT, list: SELECT });

  /** Newest first, without their recommended arms. */
  async list(page: TunesPage): Promise<Page<ParamTune>> {
    const rows = await this.#tunes.list(page);
    return toPage(
      rows.map((row) => toTune(row, parseTune(row), new Map())),
      page.limit,
    );
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<ParamTune> {
    const row = await this.#find(id);
    const arms = await this.db.query<ArmRow>(selectArms(`a.state = 'recommended'`), [id, this.teamId]);
    const parsed = parseTune(row);
    const recommended = new Map(arms.rows.map((arm) => [arm.target, toArm(arm, parsed.asked)]));
    return { ...toTune(row, parsed, recommended), best_over_models: await this.#bestOverModels(id, parsed.asked) };
  }

  /** The tunes of an experiment that have ended, by the time they ended. */
  async listEnded(...of: Parameters<TuneRows['listEnded']>): Promise<{ tune: ParamTune; tuned: TunedTarget[] }[]> {
    return (await this.#tunes.listEnded(...of)).map((row) => {
      const parsed = parseTune(row);
      const tuned = parsed.asked.targets.map(({ target }, ordinal) => toTuned(target, parsed.found.targets?.[ordinal]));
      return { tune: toTune(row, parsed, new Map()), tuned };
    });
  }

  async #find(id: string): Promise<TuneRow> {
    const row = await this.#tunes.find(id);
    if (!row) throw notFound('parameter tune', id);
    return row;
  }

  /** Combinations have the same numbers in all models that share a space. */
  async #bestOverModels(id: string, { asked, targets, tuning }: StoredTune): Promise<ParamTune['best_over_models']> {
    if (targets.length < 2 || Object.keys(asked.per_model_search_spaces).length > 0) return [];
    const { rows } = await this.db.query<{ arm: number; config: string; mean: number }>(
      `SELECT a.arm, min(a.config) FILTER (WHERE a.target = 0) AS config,
         avg((m.figures::json ->> 'mean')::float8) AS mean
       FROM tune_arm a
         JOIN tune_arm m ON m.tune_id = a.tune_id AND m.target = a.target AND m.arm = coalesce(a.same_as, a.arm)
       WHERE a.tune_id = $1 AND (m.figures::json ->> 'cases')::int = $2
       GROUP BY a.arm HAVING count(*) = $3 ORDER BY mean DESC, a.arm LIMIT $4`,
      [id, tuning.length, targets.length, SHOWN_OVER_MODELS],
    );
    return rows.map(({ arm, config, mean }) => ({ arm, config: jsonColumn<JsonObject>(config), mean }));
  }

  /** The arms of a tune, by number. */
  async arms(id: string, { target, arm, limit, cursor }: CombosQuery): Promise<Page<TuneArm>> {
    const tune = parseTune(await this.#find(id)).asked;
    const ordinal = target === undefined ? null : tune.targets.findIndex((one) => targetName(one.target) === target);
    const [afterTarget, afterArm] = (cursor ?? '-1.-1').split('.').map(Number);
    const { rows } = await this.db.query<ArmRow>(
      selectArms(
        `($3::int IS NULL OR a.target = $3) AND ($7::int IS NULL OR a.arm = $7) AND (a.target, a.arm) > ($4, $5)
         ORDER BY a.target, a.arm LIMIT $6`,
      ),
      [id, this.teamId, ordinal, afterTarget, afterArm, limit + 1, arm ?? null],
    );
    return pageOf(
      rows,
      limit,
      (row) => toArm(row, tune),
      (last) => `${last.target}.${last.arm}`,
    );
  }

  /** All arms of a tune in columns: at most `MAX_ARMS`, without what is long. */
  async space(id: string): Promise<TuneSpace> {
    const { targets } = parseTune(await this.#find(id)).asked;
    const { rows } = await this.db.query<SpaceRow>(
      `SELECT a.target, a.config, a.adjustments <> '[]' AS adjusted, a.same_as, a.state, a.rung, a.tied, a.figures
       FROM tune_arm a JOIN orchestration o ON o.id = a.tune_id AND o.team_id = $2
       WHERE a.tune_id = $1 ORDER BY a.target, a.arm`,
      [id, this.teamId],
    );
    const columns = new SpaceColumns(targets.map(({ target }) => targetName(target)));
    for (const [number, row] of rows.entries()) {
      if (number % AT_ONCE === 0) await setImmediate();
      columns.add(row);
    }
    return columns.finish();
  }
}

/** The JSON columns of a row: the request and the findings. */
interface ParsedTune {
  asked: StoredTune;
  found: TuneState;
}

const parseTune = ({ input, state }: Pick<TuneRow, 'input' | 'state'>): ParsedTune => ({
  asked: jsonColumn<StoredTune>(input),
  found: jsonColumn<TuneState>(state),
});

function toTune(
  row: TuneRow,
  { asked: stored, found: state }: ParsedTune,
  recommended: ReadonlyMap<number, TuneArm>,
): ParamTune {
  const { targets, tuning, heldOut, planned } = stored;
  return {
    ...headOf(row, stored),
    cases: { tuning: tuning.length, holdout: heldOut.length },
    planned_requests: planned,
    targets: targets.map((target, ordinal) => {
      const found = state.targets?.[ordinal];
      return {
        target: targetName(target.target),
        arms: target.arms,
        distinct: target.distinct,
        recommended: recommended.get(ordinal) ?? null,
        tied: found?.tied ?? [],
        holdout: found?.holdout ?? null,
        outcome: found?.outcome ?? null,
        text: found?.text ?? null,
      };
    }),
    best_over_models: [],
    promoted_eval_id: row.promoted,
    ...noted([...readNotes(stored), ...readNotes(state)]),
    ...timesOf(row),
  };
}

/** The summary of one model of a tune, for views that show the tune among others. */
export const toTuned = (
  target: StoredTune['targets'][number]['target'],
  { recommended = null, outcome = null, holdout }: Partial<TargetOutcome> = {},
): TunedTarget => ({
  target: targetName(target),
  recommended,
  outcome,
  difference: holdout?.difference ?? null,
  ci: holdout?.ci ?? null,
});

const NOTHING: ArmFigures = {
  cases: 0,
  samples: 0,
  mean: null,
  ci: null,
  pass_rate: null,
  errored: 0,
  cost_usd: null,
  cost_per_case_usd: null,
  tokens: 0,
  latency_p50_ms: null,
  latency_p95_ms: null,
};

const toArm = ({ arm, target, figures, ...row }: ArmRow, { targets }: StoredTune): TuneArm => ({
  arm,
  target: targetName(targets[target]!.target),
  ...row,
  config: jsonColumn<JsonObject>(row.config),
  resolved: row.resolved === null ? null : jsonColumn<JsonObject>(row.resolved),
  adjustments: JSON.parse(row.adjustments) as string[],
  ...(figures === null ? NOTHING : (JSON.parse(figures) as ArmFigures)),
});
