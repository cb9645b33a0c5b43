import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { JsonObject } from '#lib/contracts/json/json';
import type { RunConfig } from '#lib/contracts/run-input';
import type { Tool } from '#lib/contracts/tool';
import type { Pool } from '../../connection/pool.js';
import { jsonColumn, nullableJsonColumn } from '../../connection/json-column.js';

/** What a worker needs to know about a run. It does not change while the run is active. */
export interface LoadedRun {
  id: string;
  teamId: string;
  config: RunConfig;
  /** Positions of the selected cases, in the order of the items. Empty: every case, from 0. */
  casePositions: number[];
  /** The number of its first sample. */
  firstSample: number;
  suite: {
    versionId: string;
    systemPrompt: string | null;
    tools: Tool[];
    passThreshold: number;
    conversation: ConversationDefaults | null;
  };
  targets: LoadedTarget[];
}

/** The case and sample of an item. Items are numbered by case, then by sample. */
export function placeOf(
  { casePositions, firstSample, config: { samples } }: Pick<LoadedRun, 'casePositions' | 'firstSample' | 'config'>,
  item: number,
): { casePosition: number; sample: number } {
  const index = Math.floor(item / samples);
  return {
    casePosition: casePositions.length ? casePositions[index]! : index,
    sample: firstSample + (item % samples),
  };
}

export interface LoadedTarget {
  ordinal: number;
  laneId: string;
  providerId: string;
  providerKey: string;
  modelId: string;
  /** Its replies are already stored, so no model is asked. */
  recorded: boolean;
  params: JsonObject;
  systemPrompt: string | null;
}

/** A run without its cases, which are loaded as its items arrive. Undefined when the run was deleted. */
export async function loadRun(pool: Pool, runId: string): Promise<LoadedRun | undefined> {
  const { rows } = await pool.query<{
    team_id: string;
    config: string;
    case_positions: number[];
    first_sample: number;
    suite_version_id: string;
    system_prompt: string | null;
    tools: string;
    pass_threshold: number;
    conversation: string | null;
  }>(
    `SELECT r.team_id, r.config, r.case_positions, r.first_sample, r.suite_version_id, v.system_prompt, v.tools,
       v.pass_threshold, v.conversation
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
    config: jsonColumn<RunConfig>(run.config),
    casePositions: run.case_positions,
    firstSample: run.first_sample,
    suite: {
      versionId: run.suite_version_id,
      systemPrompt: run.system_prompt,
      tools: jsonColumn<Tool[]>(run.tools),
      passThreshold: run.pass_threshold,
      conversation: nullableJsonColumn<ConversationDefaults>(run.conversation),
    },
    targets: targets.rows.map((row) => ({ ...row, params: jsonColumn<JsonObject>(row.params) })),
  };
}

/** What settling an item needs when nothing else of its run can be loaded or prepared. */
export async function findPlace(
  pool: Pool,
  { runId, item }: { runId: string; item: number },
): Promise<{ casePosition: number; sample: number; category: string | null } | undefined> {
  const { rows } = await pool.query<{ casePosition: number; sample: number; category: string | null }>(
    `SELECT p.position AS "casePosition", p.first_sample + $2::int % p.samples AS sample, c.category FROM (
       SELECT samples, first_sample, suite_version_id,
         CASE WHEN cardinality(case_positions) = 0 THEN $2::int / samples
           ELSE case_positions[$2::int / samples + 1] END AS position
       FROM run WHERE id = $1) p
     LEFT JOIN suite_version_case c ON c.version_id = p.suite_version_id AND c.position = p.position`,
    [runId, item],
  );
  return rows[0];
}
