import { RunInput } from '#lib/contracts/run-input';
import { newId } from '#lib/runtime/ids';
import type { Pool } from '../connection/pool.js';
import {
  commitStep,
  readOrchestration,
  submitOrchestration,
  type NewChildRun,
  type Step,
} from '../engine/orchestrations.js';
import { createTeam } from './run-fixture.js';

/** A team with a gate run that has not executed any step. */
export async function createParent(
  pool: Pool,
  {
    cases = 4,
    runningJobs = 4,
    maxRequests = null as number | null,
    maxCostUsd = null as number | null,
    cap = null as number | null,
  } = {},
) {
  const team = await createTeam(pool, { cases, runningJobs });
  const { teamId, userId, suiteId, target } = team;
  const tokenId = cap === null ? null : await team.cappedToken(cap);
  const subjectId = newId();
  const of = {
    teamId,
    userId,
    tokenId,
    type: 'gate' as const,
    subjectId,
    step: 'first',
    input: { asked: true },
    total: cases,
  };
  const { id, jobId } = await submitOrchestration(pool, { ...of, maxRequests, maxCostUsd });
  const input = RunInput.parse({ suite_id: suiteId, models: ['sim::a'] });
  const readNow = () => readOrchestration(pool, id);
  return {
    ...team,
    id,
    tokenId,
    jobId,
    subjectId,
    child: (arm: string, step = 'first'): NewChildRun => ({
      step,
      arm,
      submit: { suiteId, input: { ...input, metrics: [], cache: 'off', max_tokens: null }, targets: [target('a')] },
    }),
    read: async () => (await readNow())!,
    commit: async (step: Partial<Step>) => {
      const parent = await readNow();
      return parent && commitStep(pool, parent, { state: {}, next: 'second', ...step });
    },
  };
}
