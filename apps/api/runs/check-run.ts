import type { Case } from '#lib/contracts/case';
import { checkMetrics, type MetricAsked, type RunMetric } from '#lib/contracts/metric';
import { reservedIn } from '#lib/contracts/params';
import { insteadOf } from '#lib/contracts/input/nearest';
import { pointer, ProblemError } from '#lib/contracts/problem';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { RunInput } from '#lib/contracts/run';
import type { Suite } from '#lib/contracts/suite';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool } from '#lib/db/connection/pool';
import type { Prisma } from '#lib/db/connection/prisma';
import { RunRepository } from '#lib/db/read/runs';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { CaseRepository } from '#lib/db/catalogue/cases';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import { readPinnedSuite } from '#lib/db/read/pinned-cases';
import { findMetric } from '#lib/scoring/metrics';
import { CSV_NAMES } from '../results/export-run.js';
import { isSemantic } from './is-semantic.js';
import { inDefaults } from './resolve-targets.js';
import { UUID } from '../platform/decorators.js';
import type { SuiteThreads } from '../suites/suite-threads.js';

/** Of those that do not exist so many are compared with all that do. */
const MOST_LABELS = 10;

/** Refuses a run that could not be carried out as asked, naming why. */
export async function checkRun(
  deps: { pool: Pool; prisma: Prisma },
  teamId: string,
  input: RunInput,
  targets: readonly ResolvedTarget[],
): Promise<void> {
  checkBudget(input, targets);
  await checkExperiment(deps.prisma, teamId, input);
  await checkFilter(deps.pool, teamId, input);
  const one = await firstSemantic(deps.pool, teamId, input);
  if (!one || (await new SettingsRepository(deps.pool, teamId).readEmbedding()).provider_key !== null) return;
  const name = one.name ? `Case ${one.position} ("${one.name}")` : `Case ${one.position}`;
  throw new ProblemError(
    422,
    `${name} is compared by meaning ("semantic"), and the team has no embedding model. Set one with ` +
      'PUT /api/settings/embedding, compare the case in another way (such as "fuzzy"), or ask with ' +
      'case_filter for tags or a category that it does not have.',
    [{ path: '/suite_id', message: `${name} cannot be run yet` }],
  );
}

/** A label that no case has would leave out without a word what it was meant to ask for. */
async function checkFilter(
  pool: Pool,
  teamId: string,
  { suite_id: suiteId, case_filter: filter }: RunInput,
): Promise<void> {
  if (!filter?.tags?.length && filter?.category === undefined) return;
  const { unknownTags, tags, isCategory, categories } = await new CaseRepository(pool, teamId).labels(suiteId, filter);
  const errors = unknownTags.slice(0, MOST_LABELS).map((tag) => ({
    path: pointer(['case_filter', 'tags', filter.tags!.indexOf(tag)]),
    message: `No case of the suite has the tag "${tag}". ${insteadOf(tag, tags, 'its tags')}`,
  }));
  if (!isCategory)
    errors.push({
      path: '/case_filter/category',
      message:
        `No case of the suite is of the category "${filter.category!}". ` +
        `${insteadOf(filter.category!, categories, 'its categories')}`,
    });
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors);
}

async function firstSemantic(
  pool: Pool,
  teamId: string,
  { suite_id, case_filter }: Pick<RunInput, 'suite_id' | 'case_filter'>,
): Promise<Case | undefined> {
  for await (const page of new CaseRepository(pool, teamId).selected(suite_id, case_filter, '"semantic"')) {
    const found = page.find(isSemantic);
    if (found) return found;
  }
  return undefined;
}

/**
 * A resume submits what was submitted before, perhaps before there was the rule that is broken. What is stored is
 * never changed for it.
 */
export async function checkResume(prisma: Prisma, teamId: string, runId: string): Promise<void> {
  for (const { providerKey, modelId, params, defaultParams } of await new RunRepository(prisma, teamId).readParams(
    runId,
  )) {
    const [own] = reservedIn(params);
    if (own)
      throw new ProblemError(
        422,
        `In the params of the run ${own.message} A run keeps what it was submitted with: submit ` +
          'another one, with POST /api/tool-eval.',
      );
    const [default_] = reservedIn(defaultParams);
    if (default_) throw new ProblemError(422, inDefaults(providerKey, modelId, default_.message));
  }
}

/** Refuses scoring options that a case of the run does not bear, such as an expected value that is no pattern. */
export async function checkRescore(
  { pool, suiteThreads }: { pool: Pool; suiteThreads: SuiteThreads },
  teamId: string,
  runId: string,
  options: RescoreOptions,
): Promise<void> {
  if (!options.param_scoring && !options.scoring_config) return;
  const path = options.scoring_config ? '/scoring_config' : '/param_scoring';
  const run = await readPinnedSuite(pool, teamId, runId);
  if (!run) return;
  const task = { what: 'fit-cases' as const, tools: run.tools, options: JSON.stringify(options) };
  let isAnySemantic = false;
  for await (const page of run.pages) {
    const found = await suiteThreads.run(teamId, { ...task, cases: page.map(({ body }) => body) });
    const [fault] = found.errors;
    const position = fault && page[fault.index]!.position;
    if (fault)
      throw new ProblemError(422, `Case ${position} cannot be scored so: ${fault.message}`, [
        { path, message: `does not fit case ${position}` },
      ]);
    isAnySemantic ||= found.isSemantic;
  }
  if (!isAnySemantic) return;
  await refuseOverCap(pool, teamId, () => new SettingsRepository(pool, teamId).embeddingCosts());
  if ((await new SettingsRepository(pool, teamId).readEmbedding()).provider_key !== null) return;
  throw new ProblemError(
    422,
    'Comparing by meaning ("semantic") needs an embedding model. Set one with PUT /api/settings/embedding.',
    [{ path, message: 'needs an embedding model' }],
  );
}

/** The suite that a body names. @throws ProblemError 422 */
export async function namedSuite(pool: Pool, teamId: string, id: string): Promise<Suite> {
  const suites = new SuiteRepository(pool, teamId);
  const suite = UUID.test(id) ? await suites.find(id) : undefined;
  if (suite) return suite;
  const [named, ...others] = await suites.findIdsByName(id);
  const wayOut =
    named && others.length === 0
      ? `A suite named so has the id ${named}.`
      : 'GET /api/tool-suites lists the suites with their ids.';
  throw new ProblemError(422, `No suite with id "${id}" in this team. ${wayOut}`, [
    { path: '/suite_id', message: `does not exist. ${wayOut}` },
  ]);
}

/**
 * The metrics that are asked for, ready to be kept.
 * @throws ProblemError 422 when there is no such metric for runs, or it has no such option, or its name is taken
 */
export function knownMetrics(asked: readonly MetricAsked[]): RunMetric[] {
  const { metrics, errors } = checkMetrics(asked);
  asked.forEach((one, index) => {
    if (typeof one === 'string' || !one.as || !CSV_NAMES.has(one.as)) return;
    errors.push({ path: `/${index}/as`, message: `"${one.as}" is another column of CSV exports. Take another name.` });
  });
  if (errors.length)
    throw new ProblemError(
      422,
      errors[0]!.message,
      errors.map(({ path, message }) => ({ path: `/metrics${path}`, message })),
    );
  return withVersions(metrics);
}

/** As they are kept: with the version that each has by now. */
export const withVersions = (metrics: readonly RunMetric[]): RunMetric[] =>
  metrics.map((metric) => ({ ...metric, version: findMetric(metric.id).version }));

/** What costs nothing that is known could never be stopped by what it costs. */
function checkBudget({ budget }: RunInput, targets: readonly ResolvedTarget[]): void {
  const unpriced = targets
    .filter((target) => !target.priced)
    .map((target) => `${target.providerKey}::${target.modelId}`);
  if (budget?.max_cost_usd === undefined || unpriced.length === 0) return;
  throw new ProblemError(
    422,
    `max_cost_usd needs the prices of all models; ${unpriced.join(', ')} has none. Set ` +
      'input_cost_per_mtok and output_cost_per_mtok of it, or use max_requests.',
    [{ path: '/budget/max_cost_usd', message: `${unpriced.join(', ')} has no prices` }],
  );
}

/** @throws ProblemError 409 when the team has spent what it may in this month */
export async function checkCap(
  pool: Pool,
  teamId: string,
  input: Pick<RunInput, 'suite_id' | 'case_filter'>,
  targets: readonly ResolvedTarget[],
): Promise<void> {
  await refuseOverCap(
    pool,
    teamId,
    async () =>
      targets.some((target) => target.priced) ||
      ((await new SettingsRepository(pool, teamId).embeddingCosts()) &&
        (await firstSemantic(pool, teamId, input)) !== undefined),
  );
}

/** @param costs whether what is asked for costs something that is known */
async function refuseOverCap(pool: Pool, teamId: string, costs: () => Promise<boolean>): Promise<void> {
  const { monthly_cap_usd: cap, spent_usd: spent } = await new SettingsRepository(pool, teamId).readSpending();
  if (cap === null || spent < cap || !(await costs())) return;
  throw new ProblemError(
    409,
    `The team has spent $${spent.toFixed(2)} this month, and its cap is $${cap.toFixed(2)}. An owner ` +
      'changes it with PUT /api/settings/spending.',
  );
}

/** @throws ProblemError 422 */
export async function checkExperiment(
  prisma: Prisma,
  teamId: string,
  { experiment_id: id, suite_id: suiteId }: Pick<RunInput, 'experiment_id' | 'suite_id'>,
): Promise<void> {
  if (id === null) return;
  const experiment = await new ExperimentRepository(prisma, teamId).find(id);
  if (!experiment)
    throw new ProblemError(422, `No experiment with id "${id}" in this team.`, [
      { path: '/experiment_id', message: 'does not exist' },
    ]);
  if (experiment.suite_id === suiteId) return;
  throw new ProblemError(422, 'The experiment is about another suite; scores of different suites cannot be compared.', [
    { path: '/experiment_id', message: `is about suite ${experiment.suite_id}` },
  ]);
}
