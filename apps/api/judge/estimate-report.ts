import type { JudgeEstimate } from '#lib/contracts/judge-estimate';
import type { JudgeInput } from '#lib/judge/contract';
import { costByPrices, NO_USAGE } from '#lib/contracts/cost';
import { targetName } from '#lib/contracts/target-name';
import { EstimateRepository } from '#lib/db/read/estimate';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { readJudgeUsage } from '#lib/judge/rows/judge-usage';
import type { PlannedReport } from './plan-report.js';

/** Tokens of a request to a judge that has not judged anything yet. */
const BY_RULE = { promptTokens: 1500, completionTokens: 200 };

/** What a report takes. Each case of a comparison is asked twice, with the replies in either order. */
export async function estimateReport(
  pool: Pool,
  teamId: string,
  judge: ResolvedTarget,
  { run, baseline, requests: planned, input }: PlannedReport & { input: JudgeInput },
): Promise<JudgeEstimate> {
  const results = baseline ? Math.min(input.sample_size, run.scored) : (planned - 1) / input.samples;
  const requests = baseline ? 2 * results * input.samples + 1 : planned;
  const name = targetName(judge);
  const earlier = await readJudgeUsage(pool, teamId, name);
  const { promptTokens, completionTokens } = earlier ?? BY_RULE;
  const usage = {
    ...NO_USAGE,
    promptTokens: Math.round(requests * promptTokens),
    completionTokens: Math.round(requests * completionTokens),
  };
  const [model] = await new EstimateRepository(pool, teamId).findModels([judge]);
  return {
    judge: name,
    results,
    requests,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cost_usd: model ? costByPrices(usage, model) : null,
    tokens_by: earlier ? 'earlier reports' : 'rule',
  };
}
