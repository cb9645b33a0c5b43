import type { GateRules } from '#lib/gate/contract';
import type { GateSensitivity } from '#lib/contracts/gate-outlook';
import { sensitivityOf } from '#lib/gate/sensitivity';
import type { Pool } from '#lib/db/connection/pool';
import { EstimateRepository } from '#lib/db/read/estimate';
import { readBaseline } from './prepare-gate-run.js';

interface Asked extends Pick<GateRules, 'margin' | 'looks'> {
  suiteId: string;
  baselineId: string | null;
}

/** What a gate can show with the cases of its baseline. A gate run begins with one sample of each. */
export async function readSensitivity(
  pool: Pool,
  teamId: string,
  { suiteId, baselineId, ...rules }: Asked,
): Promise<GateSensitivity> {
  const baseline = await readBaseline(pool, teamId, baselineId);
  const cases = baseline
    ? Math.round(baseline.targets[0]!.n / baseline.samples)
    : (await new EstimateRepository(pool, teamId).sampleCases(suiteId, null, 1)).cases;
  return sensitivityOf(cases, 2 ** (rules.looks - 1), rules);
}
