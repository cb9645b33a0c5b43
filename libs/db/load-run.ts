import { parseJson, type JsonObject } from '#lib/contracts/json';
import type { CaseInput } from '#lib/contracts/case';
import type { ProviderKind } from '#lib/contracts/provider';
import type { RunConfig } from '#lib/contracts/run';
import type { Tool } from '#lib/contracts/tool';
import type { Pool } from './pool.js';

/** What a worker needs to know of a run; it does not change while the run goes on. */
export interface LoadedRun {
  id: string;
  teamId: string;
  config: RunConfig;
  /** Positions of the cases that take part, in the order of the items. */
  casePositions: number[];
  suite: { systemPrompt: string | null; tools: Tool[]; passThreshold: number };
  cases: Map<number, { body: string; category: string | null }>;
  targets: LoadedTarget[];
}

export interface LoadedTarget {
  ordinal: number;
  laneId: string;
  providerId: string;
  providerKey: string;
  modelId: string;
  params: JsonObject;
  systemPrompt: string | null;
}

export const caseOf = (body: string): CaseInput => parseJson(body) as unknown as CaseInput;

/** Undefined when the run is gone. */
export async function loadRun(pool: Pool, runId: string): Promise<LoadedRun | undefined> {
  const { rows } = await pool.query<{
    team_id: string; config: string; case_positions: number[]; suite_version_id: string;
    system_prompt: string | null; tools: string; pass_threshold: number;
  }>(
    `SELECT r.team_id, r.config, r.case_positions, r.suite_version_id, v.system_prompt, v.tools, v.pass_threshold
     FROM run r JOIN suite_version v ON v.id = r.suite_version_id WHERE r.id = $1`,
    [runId],
  );
  const run = rows[0];
  if (!run) return undefined;
  const [cases, targets] = await Promise.all([
    pool.query<{ position: number; body: string; category: string | null }>(
      `SELECT position, body, category FROM suite_version_case WHERE version_id = $1
       AND (cardinality($2::int[]) = 0 OR position = ANY ($2)) ORDER BY position`,
      [run.suite_version_id, run.case_positions],
    ),
    pool.query<Omit<LoadedTarget, 'params'> & { params: string }>(
      `SELECT ordinal, lane_id AS "laneId", provider_id AS "providerId", provider_key AS "providerKey", model_id AS "modelId", params,
         system_prompt AS "systemPrompt" FROM target WHERE run_id = $1 ORDER BY ordinal`,
      [runId],
    ),
  ]);
  return {
    id: runId,
    teamId: run.team_id,
    config: parseJson(run.config) as unknown as RunConfig,
    casePositions: cases.rows.map((row) => row.position),
    suite: { systemPrompt: run.system_prompt, tools: parseJson(run.tools) as unknown as Tool[], passThreshold: run.pass_threshold },
    cases: new Map(cases.rows.map(({ position, body, category }) => [position, { body, category }])),
    targets: targets.rows.map((row) => ({ ...row, params: parseJson(row.params) as JsonObject })),
  };
}

/** A model as its provider describes it now: a key or a price may change while a run goes on. */
export interface Connection {
  providerId: string;
  kind: ProviderKind;
  baseUrl: string;
  sealedKey: string | null;
  inputCostPerMtok: number | null;
  outputCostPerMtok: number | null;
  unsupportedParams: string[];
  defaultParams: JsonObject;
  refusesRequired: boolean;
}

/** Undefined when the provider or its model was deleted. */
export async function loadConnection(pool: Pool, providerId: string, modelId: string): Promise<Connection | undefined> {
  const { rows } = await pool.query<Omit<Connection, 'defaultParams'> & { defaultParams: string }>(
    `SELECT p.id AS "providerId", p.kind, p.base_url AS "baseUrl", p.sealed_key AS "sealedKey", m.input_cost_per_mtok AS "inputCostPerMtok",
       m.output_cost_per_mtok AS "outputCostPerMtok", m.unsupported_params AS "unsupportedParams", m.default_params AS "defaultParams",
       m.refuses_required AS "refusesRequired"
     FROM provider p JOIN model m ON m.provider_id = p.id WHERE p.id = $1 AND m.model_id = $2`,
    [providerId, modelId],
  );
  return rows[0] && { ...rows[0], defaultParams: parseJson(rows[0].defaultParams) as JsonObject };
}

export async function rememberRefusesRequired(pool: Pool, providerId: string, modelId: string): Promise<void> {
  await pool.query('UPDATE model SET refuses_required = true WHERE provider_id = $1 AND model_id = $2', [providerId, modelId]);
}
