import { EXAMPLE_IDS, at, budget, metricAsked, target } from './example-values.js';

const description = 'Do models choose as well when descriptions are half as long?';

/** 120 cases, of which 12 were fixed and 3 broken. */
const shown = {
  verdict: 'improved',
  difference: 0.075,
  ci: [0.007911587024176395, 0.139629396582381],
};
const comparison = {
  ...shown,
  n_cases: 120,
  small: false,
  text: 'It is better by 7.5 points (95 %: 0.8 to 14; 120 cases): 12 fixed, 3 broken.',
};
const config = {
  models: [{ provider_key: 'simulator', model_id: 'perfect-ish', params: { top_p: 0.9 } }],
  temperature: 0,
  tool_choice: 'required',
  samples: 1,
  max_tokens: 1024,
  timeout_s: 120,
  params: {},
  system_prompt: 'Answer briefly.',
  base_prompt: null,
  tool_overrides: {},
  prompt_version_id: null,
  metrics: [{ ...metricAsked, as: metricAsked.id }],
  case_filter: null,
  model_order: 'sequential',
  budget: null,
  cache: 'use',
};
const best = {
  score: 0.875,
  eval_id: EXAMPLE_IDS.best,
  source: 'eval',
  source_id: EXAMPLE_IDS.best,
  config,
  targets: [target],
  comparison: shown,
  tied_with: [EXAMPLE_IDS.run],
};

export const EXPERIMENT_EXAMPLES = {
  ExperimentInput: {
    'An experiment': {
      name: 'Shorter descriptions',
      suite_id: EXAMPLE_IDS.suite,
      description,
      baseline_eval_id: EXAMPLE_IDS.baseline,
    },
    'One that asks for any difference in passed cases': {
      name: 'Another model',
      suite_id: EXAMPLE_IDS.suite,
      margin: 0,
      measure: 'passed',
    },
  },
  ExperimentUpdate: {
    'Archive it': { status: 'archived' },
    'Take it up again, with another name': { status: 'active', name: 'Shorter descriptions, again', description },
  },
  BaselineInput: { 'A run': { eval_id: EXAMPLE_IDS.baseline } },
  BaselineComparison: {
    'A run that is better': { baseline_eval_id: EXAMPLE_IDS.baseline, ...comparison, p: 0.028449914665225673 },
  },
  BestConfig: {
    'A configuration': config,
    'With a budget, over some of the cases': {
      ...config,
      budget,
      case_filter: { tags: ['enum'], category: 'current' },
    },
  },
  BestRun: { 'A run': best },
  Experiment: {
    'An experiment': {
      id: EXAMPLE_IDS.experiment,
      name: 'Shorter descriptions',
      suite_id: EXAMPLE_IDS.suite,
      suite_name: 'Weather',
      description,
      status: 'active',
      margin: 0.02,
      measure: 'overall',
      baseline_eval_id: EXAMPLE_IDS.baseline,
      baseline_score: 0.8,
      baseline_set_by: 'user',
      run_count: 4,
      comparisons: { made: 3, expected_false_alarms: 0.15, improved_after_correction: [] },
      best,
      notes: [
        'Runs shown to be better, of 3 that were compared with this baseline: 1. After the correction for that ' +
          'number: 0. Run the others again, with more samples, before trusting them.',
      ],
      refreshing: false,
      created_at: at('09:20:00'),
      updated_at: at('09:20:00'),
    },
  },
  TimelineEntry: {
    'A run that is better than the baseline': {
      type: 'eval',
      id: EXAMPLE_IDS.best,
      timestamp: at('09:41:02'),
      status: 'completed',
      score: 0.875,
      delta: 0.075,
      is_baseline: false,
      is_best: true,
      differs: [],
      comparison,
      config_summary: 'system prompt, top_p 0.9',
      targets: [target],
    },
    'A tune': {
      type: 'param_tune',
      id: EXAMPLE_IDS.tune,
      timestamp: at('10:12:40'),
      status: 'completed',
      score: null,
      delta: null,
      is_baseline: false,
      is_best: false,
      differs: [],
      comparison: null,
      config_summary: `${target}: Take temperature 0.3, tool_choice required.`,
      targets: [target],
      combos: 22,
      promoted_eval_id: EXAMPLE_IDS.best,
      holdout: [{ target, recommended: 7, outcome: 'confirmed', difference: 0.09, ci: [0.0096, 0.1669] }],
    },
    'A run over few of the cases': {
      type: 'eval',
      id: EXAMPLE_IDS.run,
      timestamp: at('09:31:02'),
      status: 'completed',
      score: 0.9333333333333332,
      delta: null,
      is_baseline: false,
      is_best: false,
      differs: ['cases'],
      comparison: {
        verdict: 'not_comparable',
        difference: null,
        ci: null,
        n_cases: 3,
        small: false,
        text: 'Only 3 cases are common to both runs, and a comparison needs 5.',
      },
      config_summary: 'cases with category current',
      targets: [target],
    },
  },
  RunBestInput: {
    'With more samples': { samples: 5 },
    'With another model, within limits': {
      models: [{ provider_key: 'simulator', model_id: 'careless-arguments', params: { top_p: 0.9 } }],
      samples: 3,
      budget,
    },
  },
  RunBestSubmitted: {
    'A run was submitted': {
      job_id: EXAMPLE_IDS.job,
      eval_id: EXAMPLE_IDS.run,
      status: 'submitted',
      config_used: { ...config, samples: 5, cache: 'off' },
    },
  },
};
