import { note, type Note } from '#lib/contracts/note';
import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_EVALUATIONS, type PromptTuneInput } from '#lib/prompt-tune/contract';
import { CONFIRMING_SAMPLES } from '#lib/tuning/confirmation';
import { FINAL_SAMPLES, FINALISTS } from '#lib/prompt-tune/finish';
import type { Roles } from '#lib/prompt-tune/split-roles';

export interface PromptPlan {
  /** Number of items per model. */
  itemsPerModel: number;
  /** Approximate number of requests to the meta model. */
  asks: number;
  /** Items that a reflective search may measure, over all models. */
  maxEvaluations: number;
  notes: Note[];
}

/** Number of successful steps that the default of `max_evals` allows. */
const STEPS = 10;

/**
 * Plans a tune as if every step succeeds.
 * @param models number of models
 * @param requestsOfItem on average: more than one where cases are conversations
 * @throws ProblemError 422 when `max_evals` is not enough for the base and a single step
 */
export function planPromptTune(
  input: PromptTuneInput,
  { reflect, select, heldOut }: Roles,
  models: number,
  requestsOfItem: number,
): PromptPlan {
  const { mode, variants, population, generations, minibatch, samples } = input;
  const tuning = new Set([...reflect, ...select]).size;
  const each = samples * models;
  const step = Math.min(minibatch, reflect.length) * 2 + select.length;
  const least = (tuning + step) * each;
  const maxEvaluations = input.max_evals ?? Math.max(least, Math.min(MAX_EVALUATIONS, (tuning + STEPS * step) * each));
  if (mode === 'reflective' && maxEvaluations < least) throw tooFewEvaluations(maxEvaluations, least);
  const later = mode === 'evolutionary' ? (generations - 1) * (population - 1) : 0;
  const candidates = 1 + (mode === 'quick' ? variants : population) + later;
  const searched = mode === 'reflective' ? maxEvaluations : candidates * tuning * each;
  const finals = (FINALISTS + 1) * FINAL_SAMPLES * select.length + 2 * CONFIRMING_SAMPLES * heldOut.length;
  const promotion = input.experiment_id === null ? 0 : (tuning + heldOut.length) * samples;
  const reflections = Math.ceil((maxEvaluations - tuning * each) / (2 * Math.min(minibatch, reflect.length) * each));
  const asks = mode === 'reflective' ? reflections : 1 + later;
  const itemsPerModel = Math.round(searched / models) + finals + promotion;
  const planned = itemsPerModel * models + asks;
  const requests = Math.ceil(itemsPerModel * models * requestsOfItem) + asks;
  if (planned > MAX_REQUESTS) throw tooManyRequests(planned);
  const most = input.budget?.max_requests;
  const notes =
    most !== undefined && most < requests
      ? [
          note(
            'budget_ends_search',
            `The tune may take ${requests} requests, and the budget ends it after ${most}: it may end without an ` +
              'answer.',
            { planned: requests, limit: most },
          ),
        ]
      : [];
  return { itemsPerModel, asks, maxEvaluations, notes };
}

/** Each step of a tune reads the scores of all requests before it. */
const MAX_REQUESTS = 1_000_000;

const tooManyRequests = (planned: number): ProblemError =>
  new ProblemError(
    422,
    `The tune takes ${planned} requests; the limit is ${MAX_REQUESTS}. Use the mode "reflective", fewer texts, ` +
      'models or samples, or a suite with fewer cases.',
    [{ path: '/mode', message: `takes ${planned} requests` }],
  ).as('tune_too_large', { count: planned, limit: MAX_REQUESTS });

const tooFewEvaluations = (given: number, least: number): ProblemError =>
  new ProblemError(
    422,
    `The base and a single step take ${least} evaluations, but the maximum is ${given}. Raise it to ${least}, or ` +
      'use the mode "quick".',
    [{ path: '/max_evals', message: `must be at least ${least} for this suite` }],
  ).as('budget_too_small', { given, least });
