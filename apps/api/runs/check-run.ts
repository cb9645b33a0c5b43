import { suggestNames } from '#lib/contracts/input/nearest-names';
import { jsonPointer, ProblemError, type InputError } from '#lib/contracts/input/problem';
import type { RunInput } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import { CaseRepository } from '#lib/db/catalogue/cases';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { checkExperiment } from './check-experiment.js';
import { findSemanticCase } from './find-semantic-case.js';

/** Unknown tags that are compared with all known ones to suggest the nearest. */
const MAX_SUGGESTIONS = 10;

/** @throws ProblemError 422 when the run cannot be executed as requested */
export async function checkRun(
  pool: Pool,
  teamId: string,
  input: RunInput,
  targets: readonly ResolvedTarget[],
): Promise<void> {
  checkBudget(input, targets);
  await checkExperiment(pool, teamId, input);
  await checkFilter(pool, teamId, input);
  await checkEmbeddingModel(pool, teamId, input);
}

/** If the price of a model is missing, the cost of the run is unknown, and a budget would never end it. */
export function checkBudget(
  { budget }: Pick<RunInput, 'budget'>,
  targets: readonly Pick<ResolvedTarget, 'providerKey' | 'modelId' | 'priced'>[],
): void {
  if (budget?.max_cost_usd === undefined) return;
  const unpriced = targets.filter((target) => !target.priced);
  if (unpriced.length === 0) return;
  const names = unpriced.map(targetName).join(', ');
  throw new ProblemError(
    422,
    `A budget in dollars needs prices for all models; ${names} ${unpriced.length === 1 ? 'has' : 'have'} none. Set ` +
      'the prices, or limit the requests instead.',
    [{ path: '/budget/max_cost_usd', message: `${names} has no prices` }],
  ).as('no_prices', { models: names });
}

/** A misspelt tag or category would silently leave cases out. */
async function checkFilter(
  pool: Pool,
  teamId: string,
  { suite_id: suiteId, case_filter: filter }: RunInput,
): Promise<void> {
  if (!filter?.tags?.length && filter?.category === undefined) return;
  const labels = await new CaseRepository(pool, teamId).labels(suiteId, filter);
  const { isCategory, categories } = labels;
  const errors = unknownTags(labels, filter.tags ?? [], ['case_filter', 'tags']);
  if (!isCategory)
    errors.push({
      path: '/case_filter/category',
      message:
        `No case of the suite has the category "${filter.category!}". ` +
        `${suggestNames(filter.category!, categories, 'its categories')}`,
    });
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors);
}

type Labels = Awaited<ReturnType<CaseRepository['labels']>>;

/** @param path where the tags are listed */
const unknownTags = (labels: Labels, asked: readonly string[], path: string[]): InputError[] =>
  labels.unknownTags.slice(0, MAX_SUGGESTIONS).map((tag) => ({
    path: jsonPointer([...path, asked.indexOf(tag)]),
    message: `No case of the suite has the tag "${tag}". ${suggestNames(tag, labels.tags, 'its tags')}`,
  }));

/** @throws ProblemError 422 when no case of the suite has one of the tags */
export async function checkCriticalTags(
  pool: Pool,
  teamId: string,
  suiteId: string,
  tags: readonly string[],
): Promise<void> {
  if (tags.length === 0) return;
  const labels = await new CaseRepository(pool, teamId).labels(suiteId, { tags: [...tags] });
  const errors = unknownTags(labels, tags, ['critical_tags']);
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors);
}

async function checkEmbeddingModel(pool: Pool, teamId: string, input: RunInput): Promise<void> {
  const semantic = await findSemanticCase(pool, teamId, input);
  if (!semantic || (await new SettingsRepository(pool, teamId).readEmbedding()).provider_key !== null) return;
  const name = semantic.name ? `Case ${semantic.position} ("${semantic.name}")` : `Case ${semantic.position}`;
  throw new ProblemError(
    422,
    `${name} is compared by meaning ("semantic"), and the team has no embedding model. An owner can set one. Or ` +
      'compare the case in another way (such as "fuzzy"), or leave it out: choose only tags or a category that it ' +
      'does not have.',
    [{ path: '/suite_id', message: `${name} cannot be run yet` }],
  ).as('no_embedding_model', { case: semantic.position });
}
