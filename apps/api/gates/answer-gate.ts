import { alphaOfLook } from '#lib/comparison/gate/alpha';
import { measureGate, readGateData, type GateSides } from '#lib/comparison/gate/measure-gate';
import { unmeasuredAnswer, type GateToMeasure } from '#lib/comparison/gate/unmeasured-answer';
import type { GateAnswer } from '#lib/contracts/gate';
import { inTransaction, type Pool } from '#lib/db/connection/pool';
import { readLooks, standingAnswer, storeLook, withLook } from '#lib/db/engine/gate-looks';
import { GateRunRepository } from '#lib/db/read/gate-runs';

/**
 * What a gate says of a run. The same data get the same answer, and use up one look at most. While a gate run adds
 * samples to the run, nothing is measured: half of the samples would be a look of its own.
 * @param samples of a case that the run has without those that were added
 * @throws ProblemError 404 when the gate or the run is gone, 422 when a run lacks the measure
 */
export async function answerGate(
  pool: Pool,
  teamId: string,
  gate: GateToMeasure,
  { samples, ...sides }: GateSides & { samples: number },
  signal: AbortSignal,
): Promise<GateAnswer> {
  const { id: gateId, version, rules } = gate;
  const of = { gateId, version, ...sides };
  const plan = { planned: rules.looks, alpha: alphaOfLook(rules.looks) };
  const looks = await readLooks(pool, teamId, of);
  const gateRun = await new GateRunRepository(pool, teamId).findUnfinished(gateId, sides.runId);
  if (gateRun !== undefined) {
    const last = looks.at(-1)?.answer;
    if (!last) return withLook(unmeasuredAnswer(gate, sides, notYet(gateRun)), 0, plan);
    const note = `The gate run ${gateRun} is at work on this run. This is what it said last.`;
    return { ...last, notes: [note, ...last.notes] };
  }
  const standing = standingAnswer(looks, await readGateData(pool, teamId, sides), plan.planned);
  if (standing) return standing;
  const measured = await measureGate(pool, teamId, gate, sides, samples * 2 ** (rules.looks - 1), signal);
  return inTransaction(pool, (client) => storeLook(client, teamId, of, measured, plan));
}

const notYet = (gateRun: string): string =>
  `Not measured yet: the gate run ${gateRun} is at work on this run. Ask again when it has ended.`;
