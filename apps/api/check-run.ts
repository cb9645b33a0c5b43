import type { CaseInput, ScoringConfig } from '#lib/contracts/case';
import { checkMetrics, type MetricAsked, type RunMetric } from '#lib/contracts/metric';
import { ProblemError } from '#lib/contracts/problem';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { RunInput } from '#lib/contracts/run';
import type { Suite } from '#lib/contracts/suite';
import { readEmbeddingSetting } from '#lib/db/embeddings';
import { caseOf, casesOfRun, loadRun } from '#lib/db/load-run';
import type { Pool } from '#lib/db/pool';
import type { Prisma } from '#lib/db/prisma';
import { costsToCompare, readSpending } from '#lib/db/spending';
import type { ResolvedTarget } from '#lib/db/submit-run';
import { readSuite, selectedCases } from '#lib/db/suites';
import { checkCase } from '#lib/scoring/check-case';
import { withOptions } from '#lib/scoring/rescore-case';

/** Refuses a run that could not be carried out as asked, naming why. */
export async function checkRun(deps: { pool: Pool; prisma: Prisma }, teamId: string, input: RunInput, targets: readonly ResolvedTarget[]): Promise<void> {
  checkBudget(input, targets);
  await checkExperiment(deps.prisma, teamId, input);
  const wayOut = 'Change it, or leave such cases out with case_filter.';
  for (const { position, ...one } of await selectedCases(deps.pool, teamId, input.suite_id, input.case_filter, ['"semantic"'])) {
    const name = one.name ? `Case ${position} ("${one.name}")` : `Case ${position}`;
    const unfit = (why: string): ProblemError => new ProblemError(422, `${name} ${why}`, [{ path: '/suite_id', message: `${name} cannot be run yet` }]);
    if (!isSemantic(one)) continue;
    if ((await readEmbeddingSetting(deps.pool, teamId)).provider_key !== null) break;
    throw unfit(`is compared by meaning ("semantic"), and the team has no embedding model. Set one with PUT /api/settings/embedding. ${wayOut}`);
  }
}

/** Refuses scoring options that a case of the run does not bear, such as an expected value that is no pattern. */
export async function checkRescore(pool: Pool, teamId: string, runId: string, options: RescoreOptions): Promise<void> {
  if (!options.param_scoring && !options.scoring_config) return;
  const path = options.scoring_config ? '/scoring_config' : '/param_scoring';
  const run = await loadRun(pool, runId);
  if (!run) return;
  let semantic = false;
  for await (const page of casesOfRun(pool, run)) {
    for (const { position, body } of page) {
      const input = withOptions(caseOf(body), options);
      const fault = checkCase(input, run.suite.tools)[0];
      if (fault) throw new ProblemError(422, `Case ${position} cannot be scored so: ${fault.message}`, [{ path, message: `does not fit case ${position}` }]);
      semantic ||= isSemantic(input);
    }
  }
  if (!semantic) return;
  await refuseOverCap(pool, teamId, () => costsToCompare(pool, teamId));
  if ((await readEmbeddingSetting(pool, teamId)).provider_key !== null) return;
  throw new ProblemError(422, 'Comparing by meaning ("semantic") needs an embedding model. Set one with PUT /api/settings/embedding.', [{ path, message: 'needs an embedding model' }]);
}

const isSemantic = (input: Pick<CaseInput, 'param_scoring' | 'scoring_config' | 'expected_calls'>): boolean =>
  input.param_scoring === 'semantic' || [input, ...(input.expected_calls ?? [])].some(({ scoring_config: config }) => config && modesOf(config).includes('semantic'));

const modesOf = ({ mode, params }: ScoringConfig) => [mode, ...Object.values(params ?? {}).map((rule) => rule.mode)];

/** The suite that a body names. @throws ProblemError 422 */
export async function namedSuite(pool: Pool, teamId: string, id: string): Promise<Suite> {
  return readSuite(pool, teamId, id).catch((error: unknown) => {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error;
    throw new ProblemError(422, `No suite with id "${id}" in this team.`, [{ path: '/suite_id', message: 'does not exist' }]);
  });
}

/** @throws ProblemError 422 when there is no such metric, or it has no such option */
export function knownMetrics(asked: readonly MetricAsked[]): RunMetric[] {
  const { metrics, errors } = checkMetrics(asked);
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors.map(({ path, message }) => ({ path: `/metrics${path}`, message })));
  return metrics;
}

/** What costs nothing that is known could never be stopped by what it costs. */
function checkBudget({ budget }: RunInput, targets: readonly ResolvedTarget[]): void {
  const unpriced = targets.filter((target) => !target.priced).map((target) => `${target.providerKey}::${target.modelId}`);
  if (budget?.max_cost_usd === undefined || unpriced.length === 0) return;
  throw new ProblemError(422, `max_cost_usd needs the prices of all models; ${unpriced.join(', ')} has none. Set input_cost_per_mtok and output_cost_per_mtok of it, or use max_requests.`, [
    { path: '/budget/max_cost_usd', message: `${unpriced.join(', ')} has no prices` },
  ]);
}

/** @throws ProblemError 409 when the team has spent what it may in this month */
export async function checkCap(pool: Pool, teamId: string, input: RunInput, targets: readonly ResolvedTarget[]): Promise<void> {
  await refuseOverCap(pool, teamId, async () => targets.some((target) => target.priced)
    || ((await costsToCompare(pool, teamId)) && (await selectedCases(pool, teamId, input.suite_id, input.case_filter, ['"semantic"'])).some(isSemantic)));
}

/** @param costs whether what is asked for costs something that is known */
async function refuseOverCap(pool: Pool, teamId: string, costs: () => Promise<boolean>): Promise<void> {
  const { monthly_cap_usd: cap, spent_usd: spent } = await readSpending(pool, teamId);
  if (cap === null || spent < cap || !(await costs())) return;
  throw new ProblemError(409, `The team has spent $${spent.toFixed(2)} this month, and its cap is $${cap.toFixed(2)}. An owner changes it with PUT /api/settings/spending.`);
}

async function checkExperiment(prisma: Prisma, teamId: string, { experiment_id: id, suite_id: suiteId }: RunInput): Promise<void> {
  if (id === null) return;
  const experiment = await prisma.experiment.findFirst({ where: { id, team_id: teamId } });
  if (!experiment) throw new ProblemError(422, `No experiment with id "${id}" in this team.`, [{ path: '/experiment_id', message: 'does not exist' }]);
  if (experiment.suite_id === suiteId) return;
  throw new ProblemError(422, 'The experiment is about another suite; scores of different suites cannot be compared.', [
    { path: '/experiment_id', message: `is about suite ${experiment.suite_id}` },
  ]);
}
