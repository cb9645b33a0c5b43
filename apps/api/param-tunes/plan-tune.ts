import { note, type Note } from '#lib/contracts/note';
import { jsonPointer, ProblemError } from '#lib/contracts/input/problem';
import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamTuneInput } from '#lib/param-tune/contract';
import type { NewTuneArm } from '#lib/param-tune/rows/arms';
import { confirmationItems } from '#lib/tuning/confirmation';
import { planSearch, type PlannedSearch } from '#lib/param-tune/search/plan-search';

/** Each step of a tune reads the scores of all requests before it. */
const MAX_REQUESTS = 1_000_000;

/** The arms of a model, and how they are searched. */
interface PlannedTarget {
  arms: NewTuneArm[];
  distinct: number;
  planned: PlannedSearch;
}

export interface TunePlan {
  targets: PlannedTarget[];
  /** Average number of items per model that confirm the winner and promote it. */
  further: number;
  /** Total number of items. */
  planned: number;
  notes: Note[];
}

/**
 * Plans the search of each model, within the budget.
 * @param ofItem average requests of an item, more than one where cases are conversations, and its cost in US dollars;
 *   null where a price is missing
 * @throws ProblemError 422 when a grid has too many combinations
 */
export function planTune(
  input: ParamTuneInput,
  arms: readonly NewTuneArm[][],
  { tuning, heldOut }: { tuning: number; heldOut: number },
  ofItem: OfItem,
): TunePlan {
  const sizes = arms.map((of) => ({
    arms: of.filter(({ sameAs }) => sameAs === null).length,
    cases: tuning,
    samples: input.samples,
  }));
  const whole = sizes.map((size) => planSearch(input, size));
  refuseLargeGrids(input, whole, sizes);
  const confirmation = confirmationItems(heldOut) * arms.length;
  const promotion = input.experiment_id === null ? 0 : (tuning + heldOut) * input.samples;
  const further = confirmation + promotion;
  const searched = sum(whole.map(({ items }) => items));
  const limit = limitOf(input, ofItem) - further;
  const share = Math.min(1, limit / searched);
  const planned = share === 1 ? whole : sizes.map((size, n) => planSearch(input, size, whole[n]!.items * share));
  const items = sum(planned.map((one) => one.items));
  if (items + further > MAX_REQUESTS)
    throw new ProblemError(
      422,
      `The tune takes ${items + further} requests; the limit is ${MAX_REQUESTS}. Use the mode "adaptive", fewer ` +
        'models, values or samples, or a suite with fewer cases.',
      [{ path: '/search_space', message: `takes ${items + further} requests` }],
    ).as('tune_too_large', { count: items + further, limit: MAX_REQUESTS });
  const requestsOf = (count: number): number => Math.ceil(count * ofItem.requests);
  const notes: Note[] = [];
  if (items < searched)
    notes.push(
      note(
        'budget_narrows_search',
        `The budget is below the ${requestsOf(searched + further)} requests of the whole search, so it tries ` +
          `fewer combinations on fewer cases: ${requestsOf(items + further)} requests.`,
        { whole: requestsOf(searched + further), planned: requestsOf(items + further) },
      ),
    );
  if (items > limit)
    notes.push(
      note(
        'budget_ends_search',
        `The search takes ${requestsOf(items + further)} requests, and the budget ends it earlier: it will have no ` +
          'confirmed answer.',
        { planned: requestsOf(items + further), limit: Math.floor(limit * ofItem.requests) },
      ),
    );
  return {
    targets: arms.map((of, n) => ({ arms: of, distinct: sizes[n]!.arms, planned: planned[n]! })),
    further: further / arms.length,
    planned: items + further,
    notes,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

interface OfItem {
  requests: number;
  cost: number | null;
}

/** In items. */
function limitOf({ budget }: ParamTuneInput, { requests, cost }: OfItem): number {
  const byCost = budget?.max_cost_usd !== undefined && cost ? budget.max_cost_usd / cost : Infinity;
  return Math.min((budget?.max_requests ?? Infinity) / requests, byCost);
}

function refuseLargeGrids(
  input: ParamTuneInput,
  whole: readonly PlannedSearch[],
  sizes: readonly { arms: number }[],
): void {
  const { mode, max_combinations: most } = input;
  const index = sizes.findIndex(({ arms }, n) => mode === 'grid' && whole[n]!.search.mode === 'grid' && arms > most);
  if (index < 0) return;
  const { arms } = sizes[index]!;
  throw new ProblemError(
    422,
    `A grid tries all ${arms} combinations of ${input.models[index]!}; the limit is ${most}. Use the mode ` +
      '"adaptive", which tries only some of them, fewer values, or a higher maximum.',
    [{ path: '/mode', message: `is too much for ${arms} combinations: use "adaptive"` }],
  ).as('tune_too_large', { count: arms, limit: most });
}

/** The space of each model, and its path in the body. @throws ProblemError 422 */
export function spacesOf(
  { models, search_space: shared, per_model_search_spaces: own }: ParamTuneInput,
  names: readonly string[],
): { space: JsonObject; path: PropertyKey[] }[] {
  const unknown = Object.keys(own).find((name) => !models.includes(name) && !names.includes(name));
  if (unknown !== undefined)
    throw new ProblemError(422, `"${unknown}" is not one of the tuned models: ${names.join(', ')}.`, [
      { path: jsonPointer(['per_model_search_spaces', unknown]), message: 'is not one of "models"' },
    ]);
  return names.map((name, n) => {
    const key = [models[n]!, name].find((one) => Object.hasOwn(own, one));
    return key === undefined
      ? { space: shared as JsonObject, path: ['search_space'] }
      : { space: own[key] as JsonObject, path: ['per_model_search_spaces', key] };
  });
}
