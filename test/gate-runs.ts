import { GateInput } from '#lib/gate/contract';
import { RunInput } from '#lib/contracts/run-input';
import { insertRow } from '#lib/db/connection/insert-row';
import type { Pool } from '#lib/db/connection/pool';
import { finishRun, runsToFinish } from '#lib/db/engine/finish-run';
import type { GateRunInput } from '#lib/gate/rows/gate-runs';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import { createTeam } from '#lib/db/testing/run-fixture';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { newId } from '#lib/runtime/ids';
import { gate } from '../apps/worker/gate/gate-steps.js';
import { openStores, orchestrationOf, type Child, type Replies, type Stores } from './orchestrations.js';

export type { Replies } from './orchestrations.js';

/** The stores of a test file about gate runs, and the actions of their workers. */
export async function openGateRuns() {
  const stores = await openStores();
  const { pool, close } = stores;
  return { pool, close, aGateRun: (asked: GateRunOptions = {}) => aGateRun(stores, asked) };
}

/** The outcomes of these cases, with this many right. */
export const right = (count: number, { cases }: Pick<Child, 'cases'>): Outcome[] =>
  Array.from({ length: cases }, (_, n) => Number(n < count));
export const allRight: Replies = (child) => right(child.cases, child);
export const CASES = 60;

interface GateRunOptions extends Partial<Omit<GateInput, 'baseline'>> {
  cases?: number;
  /** Number of correct baseline cases; null: the gate has no baseline. */
  baseline?: number | null;
  maxRequests?: number | null;
  /** An existing run to measure, with this many correct cases. */
  given?: number;
}

/** A team with a baseline, a gate, and a submitted gate run that has not begun. */
async function submitGateRun(
  pool: Pool,
  { cases = CASES, baseline = cases, maxRequests = null, given, ...rules }: GateRunOptions,
) {
  const team = await createTeam(pool, { cases });
  const { teamId, userId, suiteId } = team;
  await pool.query(`UPDATE suite_case SET tags = '{vital}' WHERE suite_id = $1 AND position = 0`, [suiteId]);
  const ended = async (count: number): Promise<string> => {
    const { runId } = await team.submit();
    await settleRun(pool, runId, right(count, { cases }));
    for (const run of await runsToFinish(pool)) await finishRun(pool, run);
    return runId;
  };
  const baselineId = baseline === null ? null : await ended(baseline);
  const evalId = given === undefined ? undefined : await ended(given);
  const {
    name,
    suite_id: _suite,
    baseline: _baseline,
    ...fixed
  } = GateInput.parse({ name: 'main', suite_id: suiteId, baseline: { eval_id: newId() }, margin: 0.05, ...rules });
  const gateId = newId();
  await insertRow(pool, 'gate', { id: gateId, team_id: teamId, name, suite_id: suiteId, rules: JSON.stringify(fixed) });
  const { rows: providers } = await pool.query<{ id: string }>('SELECT id FROM provider WHERE team_id = $1', [teamId]);
  const target = { providerId: providers[0]!.id, providerKey: 'sim', modelId: 'a', laneId: team.laneId };
  const input: GateRunInput = {
    gate: { id: gateId, name, version: 1, rules: fixed },
    baselineId,
    ...(evalId !== undefined && { evalId }),
    run: {
      input: {
        ...RunInput.parse({ suite_id: suiteId, models: ['sim::a'] }),
        ...{ metrics: [], cache: 'off', max_tokens: null },
      },
      targets: [{ ...target, priced: false, params: {}, systemPrompt: null }],
    },
  };
  const { id, jobId } = await submitOrchestration(pool, {
    teamId,
    userId,
    tokenId: null,
    type: 'gate',
    subjectId: gateId,
    step: 'run',
    input,
    total: cases,
    maxRequests,
    maxCostUsd: null,
  });
  return { teamId, userId, id, jobId, gateId, baselineId, evalId };
}

/** A gate run, and everything that can happen to it. */
async function aGateRun(stores: Stores, asked: GateRunOptions) {
  const submitted = await submitGateRun(stores.pool, asked);
  const run = orchestrationOf(stores, submitted, gate);
  return {
    ...submitted,
    ...run,
    end: (replies: Replies = allRight) => run.end(replies),
    looks: () => run.rows('SELECT look, answer FROM gate_look WHERE gate_id = $1 ORDER BY look', [submitted.gateId]),
  };
}
