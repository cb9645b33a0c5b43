import type { GateRunConfig } from '#lib/gate/contract';
import { ProblemError } from '#lib/contracts/input/problem';
import { RunInput } from '#lib/contracts/run-input';
import type { StoredGate } from '#lib/gate/rows/gates';
import type { ExperimentRun } from '#lib/db/read/experiment-runs';
import { replaceSettings, settingsOf } from '../runs/settings-of-run.js';

/**
 * The run that a gate submits and measures: the settings of its baseline with one sample, except for what `config`
 * sets. A baseline whose replies were made elsewhere has no known settings.
 * @throws ProblemError 422
 */
export function planRun(gate: StoredGate, baseline: ExperimentRun, config: GateRunConfig): RunInput {
  const settings = settingsOf(baseline);
  const models = gate.rules.models?.map((name) => settings?.models.find((one) => isNamed(one, name)) ?? name);
  const replaced = { samples: 1, budget: null, ...(models && { models }), ...config };
  const of = { suite_id: gate.suiteId, experiment_id: null };
  if (settings) return { ...replaceSettings(settings, replaced, 'baseline'), ...of };
  if (replaced.models) return RunInput.parse({ ...replaced, ...of });
  throw new ProblemError(
    422,
    'The replies of the baseline were made elsewhere. Choose the models to run, or measure an existing run.',
    [{ path: '/config/models', message: 'are required' }],
  ).as('replies_recorded');
}

const isNamed = (model: RunInput['models'][number], name: string): boolean =>
  typeof model === 'object' && `${model.provider_key}::${model.model_id}` === name;

/**
 * A gate that names its models measures exactly those.
 * @throws ProblemError 422
 */
export function checkGateModels({ name, rules }: StoredGate, given: readonly string[]): void {
  const { models } = rules;
  if (models === null) return;
  const other = given.find((one) => !models.includes(one));
  const lacking = models.find((one) => !given.includes(one));
  const fault = other ? `${other} is not one of them` : lacking && `${lacking} is missing`;
  if (fault)
    throw new ProblemError(422, `The gate "${name}" measures the models ${models.join(', ')}; ${fault}.`, [
      { path: '/models', message: `must be those of the gate: ${fault}` },
    ]).as('other_models', { gate: name });
}
