import { passed } from './comparison-examples.js';
import { EXAMPLE_IDS, at, target } from './example-values.js';
import { estimate } from './run-examples.js';

const searchSpace = { temperature: { min: 0, max: 1, step: 0.1 }, tool_choice: ['auto', 'required'] };
const base = { temperature: 1, tool_choice: 'auto', max_tokens: null, params: {}, system_prompt: null };
const asked = {
  suite_id: EXAMPLE_IDS.suite,
  models: [target],
  search_space: searchSpace,
  mode: 'grid',
  holdout: 0,
};
const input = {
  ...asked,
  per_model_search_spaces: {},
  mode: 'adaptive',
  trials: 50,
  base,
  measure: 'overall',
  margin: 0.02,
  samples: 1,
  holdout: 0.3,
  seed: 1,
  timeout_s: 120,
  budget: { max_requests: 2000 },
  cache: 'use',
  prompt_cache: 'off',
  experiment_id: EXAMPLE_IDS.experiment,
  max_combinations: 500,
};
const arm = {
  arm: 7,
  target,
  config: { temperature: 0.3, tool_choice: 'required' },
  resolved: { temperature: 0.3, tool_choice: 'required' },
  adjustments: [],
  same_as: null,
  state: 'recommended',
  rung: 'finalists',
  cases: 42,
  samples: 168,
  mean: 0.9333,
  ci: [0.8607, 0.9666],
  pass_rate: 0.9048,
  errored: 0,
  cost_usd: 0.0504,
  cost_per_case_usd: 0.0003,
  tokens: 19_544,
  latency_p50_ms: 412,
  latency_p95_ms: 980,
  tied: true,
  runs: [{ eval_id: EXAMPLE_IDS.trial, rung: 'all' }],
};
const same = {
  ...arm,
  arm: 8,
  config: { temperature: 0.4, tool_choice: 'required' },
  adjustments: ['The model does not take "temperature"; it was left out.'],
  same_as: 7,
  state: 'waiting',
  rung: null,
  cases: 0,
  samples: 0,
  mean: null,
  ci: null,
  pass_rate: null,
  cost_usd: null,
  cost_per_case_usd: null,
  tokens: 0,
  latency_p50_ms: null,
  latency_p95_ms: null,
  tied: false,
  runs: [],
};
const tune = {
  id: EXAMPLE_IDS.tune,
  job_id: EXAMPLE_IDS.tuneJob,
  status: 'completed',
  suite_id: EXAMPLE_IDS.suite,
  suite_name: 'Weather',
  suite_version: 1,
  experiment_id: EXAMPLE_IDS.experiment,
  input,
  step: 'done',
  cases: { tuning: 42, holdout: 18 },
  planned_requests: 1374,
  targets: [
    {
      target,
      arms: 22,
      distinct: 22,
      recommended: arm,
      tied: [7],
      holdout: passed,
      outcome: 'confirmed',
      text:
        'Take temperature 0.3, tool_choice required: it is better than the base on cases that nothing was chosen by. ' +
        passed.text,
    },
  ],
  best_over_models: [],
  promoted_eval_id: EXAMPLE_IDS.best,
  notes: [],
  created_at: at('10:04:00'),
  finished_at: at('10:12:40'),
};

export const TUNE_EXAMPLES = {
  ParameterValues: {
    'A list': [0, 0.5, 1],
    'From, to, by': { min: 0, max: 1, step: 0.1 },
    'So many, on a logarithmic scale': { min: 64, max: 4096, levels: 4, scale: 'log' },
    'One value': 'required',
  },
  ParameterSpace: { 'Temperature and tool choice': searchSpace, 'A parameter of the provider': { top_k: [20, 40] } },
  ParamTuneInput: {
    'Every combination': asked,
    'All settings': {
      ...input,
      mode: 'random',
      holdout: 0,
      per_model_search_spaces: { [target]: { temperature: [0, 0.5, 1] } },
      trials: 2,
    },
  },
  TuneArm: { 'The recommended arm': arm, 'An arm whose requests are those of another': same },
  ParamTune: {
    'A tune that is done': tune,
    'One over two models, with a note': {
      ...tune,
      best_over_models: [{ arm: 7, config: arm.config, mean: 0.91 }],
      notes: ['Nothing was promoted: the experiment was archived. Run the recommended settings in another one.'],
      promoted_eval_id: null,
    },
  },
  ParamTuneEstimate: {
    'Twenty-two combinations': { ...estimate, combinations: 22, distinct: { [target]: 22 }, notes: [] },
  },
  ParamTuneSubmitted: {
    'A tune was submitted': { job_id: EXAMPLE_IDS.tuneJob, tune_id: EXAMPLE_IDS.tune, status: 'submitted' },
  },
  ParamPresetInput: { 'Temperature and tool choice': { name: 'Temperature and choice', search_space: searchSpace } },
  ParamPreset: {
    'A preset': {
      id: EXAMPLE_IDS.preset,
      name: 'Temperature and choice',
      search_space: searchSpace,
      created_at: at('10:02:00'),
    },
  },
};
