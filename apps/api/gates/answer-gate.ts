import { note } from '#lib/contracts/note';
import { alphaOfLook } from '#lib/gate/alpha';
import { readGateData, type GateSides } from '#lib/gate/measure-gate';
import { unmeasuredAnswer, type GateToMeasure } from '#lib/gate/unmeasured-answer';
import type { Pool } from '#lib/db/connection/pool';
import { notedFirst, readLooks, standingAnswer, withLook } from '#lib/gate/rows/gate-looks';
import { GateRunRepository } from '#lib/gate/rows/gate-runs';
import type { ComparisonAnswers, Patience } from '../comparisons/comparison-answers.js';
import { jsonBytes } from '../comparisons/send-comparison.js';

/**
 * The answer of a gate for a run. The same data gets the same answer and uses at most one look. While a gate run adds
 * samples to the run, nothing is measured: measuring half of the samples would count as another look. Concurrent
 * requests share one measurement.
 * @param samples samples per case of the run, without those that were added
 * @returns JSON of a `GateAnswer`; undefined when it takes longer than the caller waits
 * @throws ProblemError 404 when the gate or the run is gone, 422 when a run lacks the measure
 */
export async function answerGate(
  { pool, answers }: { pool: Pool; answers: ComparisonAnswers },
  teamId: string,
  gate: GateToMeasure,
  { samples, ...sides }: GateSides & { samples: number },
  patience: Patience,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { id: gateId, name, version, rules } = gate;
  const of = { gateId, version, ...sides };
  const plan = { planned: rules.looks, alpha: alphaOfLook(rules.looks) };
  const looks = await readLooks(pool, teamId, of);
  const gateRun = await new GateRunRepository(pool, teamId).findUnfinished(gateId, sides.runId);
  if (gateRun !== undefined) {
    const last = looks.at(-1)?.answer;
    if (!last) return jsonBytes(withLook(unmeasuredAnswer(gate, sides, notMeasuredText(gateRun)), 0, plan));
    const text = `The gate run ${gateRun} is measuring this run. This is the last answer.`;
    return jsonBytes(notedFirst(last, note('gate_run_measuring', text, { gate_run_id: gateRun })));
  }
  const data = await readGateData(pool, teamId, sides);
  const standing = standingAnswer(looks, data, plan.planned);
  if (standing) return jsonBytes(standing);
  const lastLook = samples * 2 ** (rules.looks - 1);
  const measured = { id: gateId, name, version, rules };
  return answers.get({ what: 'check-gate', teamId, gate: measured, sides, lastLook, of, plan, data }, patience);
}

const notMeasuredText = (gateRun: string): string =>
  `Not measured yet: the gate run ${gateRun} is measuring this run. Try again when it has ended.`;
