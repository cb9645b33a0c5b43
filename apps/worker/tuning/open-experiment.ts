import { readExperimentOf } from '#lib/tuning/rows/for-workers/experiment-of';
import type { StepContext } from '../orchestration/kind.js';

/**
 * The experiment that a tune promotes into, or a note on why it cannot.
 * @param found what to run in another one
 */
export async function openExperiment(
  { pool, orchestration }: StepContext,
  found: string,
): Promise<{ id: string; note?: undefined } | { note: string }> {
  const experiment = await readExperimentOf(pool, orchestration.id);
  if (experiment?.status === 'active') return { id: experiment.id };
  const why = experiment ? 'archived' : 'deleted';
  return { note: `Nothing was promoted: the experiment was ${why}. Run the ${found} in another experiment.` };
}
