import type { GateRunInput } from '#lib/gate/contract';
import type { RunInput } from '#lib/contracts/run-input';
import { ProblemError } from '#lib/contracts/input/problem';
import { readRunOfSuite } from '#lib/db/catalogue/take-baseline';
import type { Pool } from '#lib/db/connection/pool';
import { ExperimentRunRepository, type ExperimentRun } from '#lib/db/read/experiment-runs';
import type { StoredGate } from '#lib/gate/rows/gates';
import { forgetDeletedVersion } from '../runs/resolve-prompt.js';
import { checkGateModels, planRun } from './plan-run.js';

/** The path of the run settings in the body. */
const CONFIG = '/config';

/** What a gate run has to do: measure an existing run, make one, or nothing without a baseline. */
interface PreparedGateRun<Run> {
  evalId?: string;
  run?: Run;
  baseline?: ExperimentRun | undefined;
}

/**
 * @param prepare resolves and checks the run to make
 * @param namesOf the models of what it returns
 * @throws ProblemError 422, with paths in the body of the gate run
 */
export async function prepareGateRun<Run>(
  { pool, teamId, gate }: { pool: Pool; teamId: string; gate: StoredGate },
  { eval_id, config = {} }: GateRunInput,
  prepare: (input: RunInput) => Promise<Run>,
  namesOf: (run: Run) => string[],
): Promise<PreparedGateRun<Run>> {
  const baseline = await readBaseline(pool, teamId, gate.baselineId);
  if (eval_id !== undefined) {
    const evalId = eval_id.toLowerCase();
    await readRunOfSuite(pool, teamId, { runId: evalId, suiteId: gate.suiteId, path: '/eval_id' });
    return { evalId, baseline };
  }
  if (!baseline) return {};
  const plan = planRun(gate, baseline, config);
  // A version named by the caller must exist.
  const planned = config.prompt_version_id == null ? await forgetDeletedVersion(pool, teamId, plan) : plan;
  try {
    const run = await prepare(planned);
    checkGateModels(gate, namesOf(run));
    return { run, baseline };
  } catch (error) {
    if (!(error instanceof ProblemError) || !error.errors) throw error;
    throw error.at(error.errors.map(({ path, message }) => ({ path: CONFIG + path, message })));
  }
}

/** @returns undefined for a gate without a baseline, and for a run that was deleted */
export async function readBaseline(
  pool: Pool,
  teamId: string,
  runId: string | null,
): Promise<ExperimentRun | undefined> {
  if (runId === null) return undefined;
  return (await new ExperimentRunRepository(pool, teamId).find([runId])).get(runId);
}
