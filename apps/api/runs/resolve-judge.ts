import { ProblemError } from '#lib/contracts/input/problem';
import { RunInput } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import { JudgeSettingRepository } from '#lib/judge/rows/judge-settings';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { targetsOfJudge, describeSelfJudging } from '#lib/judge/same-model';
import { resolveTargets } from './resolve-targets.js';

const NO_JUDGE =
  'No judge is named, and the team has no default judge. Choose a judge, or have an owner set the default.';

/**
 * Finds the judge model.
 * @param name the team's default judge if omitted
 * @param path its path in the body
 * @throws ProblemError 422
 */
export async function resolveJudge(
  { pool }: { pool: Pool },
  teamId: string,
  name: string | null | undefined,
  path: string,
): Promise<ResolvedTarget> {
  const wanted = name ?? (await new JudgeSettingRepository(pool, teamId).read()).judge;
  if (wanted === null) throw new ProblemError(422, NO_JUDGE, [{ path, message: 'is missing' }]).as('no_default_judge');
  const asked = RunInput.parse({ suite_id: teamId, models: [wanted] });
  const [judge] = await resolveTargets(pool, teamId, asked).catch((error: unknown) => {
    if (!(error instanceof ProblemError)) throw error;
    throw error.at([{ path, message: error.message }]);
  });
  return judge!;
}

/** @throws ProblemError 422 if a model would judge itself */
export function refuseSelf(judge: ResolvedTarget, targets: readonly string[], path: string): void {
  const name = targetName(judge);
  const own = targetsOfJudge(name, targets);
  if (own.length === 0) return;
  throw new ProblemError(422, describeSelfJudging(name, own), [
    { path, message: `is the same model as ${own[0]!}` },
  ]).as('judge_judges_itself', { judge: name, model: own[0]! });
}
