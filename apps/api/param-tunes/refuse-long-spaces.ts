import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_SPACE_CHARACTERS, type ParamTuneInput } from '#lib/param-tune/contract';

type Spaces = Pick<ParamTuneInput, 'search_space'> & Partial<Pick<ParamTuneInput, 'per_model_search_spaces'>>;

/** @throws ProblemError 422 for spaces that are too long to be stored and listed */
export function refuseLongSpaces({ search_space: shared, per_model_search_spaces: own = {} }: Spaces): void {
  const length = JSON.stringify([shared, own]).length;
  if (length <= MAX_SPACE_CHARACTERS) return;
  throw new ProblemError(
    422,
    `The search space has ${length} characters as JSON; the limit is ${MAX_SPACE_CHARACTERS}. Give ranges instead of ` +
      'lists, and shorter values.',
    [{ path: '/search_space', message: 'is too long' }],
  );
}
