import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { CaseInput } from '#lib/contracts/case';
import type { ProviderKind } from '#lib/contracts/provider';
import type { RunConfig } from '#lib/contracts/run';
import type { Tool } from '#lib/contracts/tool';
import type { LaneLimits } from '../engine/dispatch-lane.js';
import type { Pool } from '../connection/pool.js';

/** What a worker needs to know of a run; it does not change while the run goes on. */
export interface LoadedRun {
  id: string;
  teamId: string;
  config: RunConfig;
  /** Positions of the cases that take part, in the order of the items; empty: all, from 0. */
  casePositions: number[];
  suite: { versionId: string; systemPrompt: string | null; tools: Tool[]; passThreshold: number };
  targets: LoadedTarget[];
}

/** A case of a suite's version, as it is stored. */
export interface StoredCase {
  position: number;
  body: string;
  category: string | null;
}

/** Where an item of a run stands: items are counted by case, then by sample. */
export function placeOf(
  { casePositions, config: { samples } }: Pick<LoadedRun, 'casePositions' | 'config'>,
  item: number,
): { casePosition: number; sample: number } {
  const index = Math.floor(item / samples);
  return { casePosition: casePositions.length ? casePositions[index]! : index, sample: item % samples };
}

export interface LoadedTarget {
  ordinal: number;
  laneId: string;
  providerId: string;
  providerKey: string;
  modelId: string;
  /** Its replies are kept already; nobody is asked. */
  recorded: boolean;
  params: JsonObject;
  systemPrompt: string | null;
}

export const caseOf = (body: string): CaseInput => parseJson(body) as unknown as CaseInput;

/** A run without its cases, which are loaded as its items come. Undefined when the run is gone. */
export async function loadRun(pool: Pool, runId: string): Promise<LoadedRun | undefined> {
  const { rows } = await pool.query<{
    team_id: string;
    config: string;
    case_positions: number[];
    suite_version_id: string;
    system_prompt: string | null;
    tools: string;
    pass_threshold: number;
  }>(
    `SELECT r.team_id, r.config, r.case_positions, r.suite_version_id, v.system_prompt, v.tools, v.pass_threshold
     FROM run r JOIN suite_version v ON v.id = r.suite_version_id WHERE r.id = $1`,
    [runId],
  );
  const run = rows[0];
  if (!run) return undefined;
  const targets = await pool.query<Omit<LoadedTarget, 'params'> & { params: string }>(
    `SELECT ordinal, lane_id AS "laneId", provider_id AS "providerId", provider_key AS "providerKey", model_id AS
      "modelId", recorded, params,
       system_prompt AS "systemPrompt" FROM target WHERE run_id = $1 ORDER BY ordinal`,
    [runId],
  );
  return {
    id: runId,
    teamId: run.team_id,
    config: parseJson(run.config) as unknown as RunConfig,
    casePositions: run.case_positions,
    suite: {
      versionId: run.suite_version_id,
      systemPrompt: run.system_prompt,
      tools: parseJson(run.tools) as unknown as Tool[],
      passThreshold: run.pass_threshold,
    },
    targets: targets.rows.map((row) => ({ ...row, params: parseJson(row.params) as JsonObject })),
  };
}

/** Some cases of a suite's version. */
export async function loadCases(pool: Pool, versionId: string, positions: readonly number[]): Promise<StoredCase[]> {
  const { rows } = await pool.query<StoredCase>({
    name: 'load_cases',
    text: 'SELECT position, body, category FROM suite_version_case WHERE version_id = $1 AND position = ANY ($2)',
    values: [versionId, positions],
  });
  return rows;
}

/** All that settling an item needs to know of it, where nothing else of its run can be loaded or prepared. */
export async function findPlace(
  pool: Pool,
  { runId, item }: { runId: string; item: number },
): Promise<{ casePosition: number; sample: number; category: string | null } | undefined> {
  const { rows } = await pool.query<{ casePosition: number; sample: number; category: string | null }>(
    `SELECT p.position AS "casePosition", $2::int % p.samples AS sample, c.category FROM (
       SELECT samples, suite_version_id, CASE WHEN cardinality(case_positions) = 0 THEN $2::int / samples ELSE
         case_positions[$2::int / samples + 1] END AS position
       FROM run WHERE id = $1) p
     LEFT JOIN suite_version_case c ON c.version_id = p.suite_version_id AND c.position = p.position`,
    [runId, item],
  );
  return rows[0];
}

/** Where an item's result stands in its run. */
export interface ItemPlace {
  target: number;
  casePosition: number;
  sample: number;
}

/** The stored exchanges of items of a run, zstd of JSON; undefined where there is none. */
export async function findExchanges(
  pool: Pool,
  runId: string,
  places: readonly ItemPlace[],
): Promise<(Buffer | undefined)[]> {
  const { rows } = await pool.query<{ n: number; body: Buffer }>({
    name: 'find_exchanges',
    text: `SELECT u.n::int, e.body FROM unnest($2::int[], $3::int[], $4::int[]) WITH ORDINALITY AS u(target,
      case_position, sample, n)
      JOIN exchange e ON e.run_id = $1 AND e.target = u.target AND e.case_position = u.case_position
        AND e.sample = u.sample WHERE length(e.body) > 0`,
    values: [
      runId,
      places.map((one) => one.target),
      places.map((one) => one.casePosition),
      places.map((one) => one.sample),
    ],
  });
  const found = new Map(rows.map(({ n, body }) => [n - 1, body]));
  return places.map((_place, index) => found.get(index));
}

/** A model as its provider describes it now: an address, a key or a price may change while a run goes on. */
export interface Connection {
  providerId: string;
  modelId: string;
  kind: ProviderKind;
  baseUrl: string;
  sealedKey: string | null;
  /** Where its requests wait for their turn. */
  lane: LaneLimits;
  inputCostPerMtok: number | null;
  outputCostPerMtok: number | null;
  unsupportedParams: string[];
  defaultParams: JsonObject;
  refusesRequired: boolean;
}

/** Those of the models that there are; not one whose provider was deleted, or that was taken off its list. */
export async function loadConnections(
  pool: Pool,
  models: readonly Pick<Connection, 'providerId' | 'modelId'>[],
): Promise<Connection[]> {
  const { rows } = await pool.query<
    Omit<Connection, 'defaultParams' | 'lane'> & LaneLimits & { defaultParams: string }
  >({
    name: 'load_connections',
    text: `SELECT p.id AS "providerId", m.model_id AS "modelId", p.kind, p.base_url AS "baseUrl", p.sealed_key AS
      "sealedKey",
       m.input_cost_per_mtok AS "inputCostPerMtok", m.output_cost_per_mtok AS "outputCostPerMtok",
         m.unsupported_params AS "unsupportedParams",
       m.default_params AS "defaultParams", m.refuses_required AS "refusesRequired",
       l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at
     FROM unnest($1::uuid[], $2::text[]) AS u(provider, model) JOIN provider p ON p.id = u.provider
       JOIN model m ON m.provider_id = p.id AND m.model_id = u.model
       JOIN lane l ON l.id = coalesce(m.lane_id, p.lane_id)`,
    values: [models.map((one) => one.providerId), models.map((one) => one.modelId)],
  });
  return rows.map(
    ({ id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at, defaultParams, ...model }) => ({
      ...model,
      defaultParams: parseJson(defaultParams) as JsonObject,
      lane: { id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at },
    }),
  );
}

export async function rememberRefusesRequired(pool: Pool, providerId: string, modelId: string): Promise<void> {
  await pool.query('UPDATE model SET refuses_required = true WHERE provider_id = $1 AND model_id = $2', [
    providerId,
    modelId,
  ]);
}
