import { EXAMPLE_IDS, at, budget, metricAsked, target } from './example-values.js';

const rules = {
  baseline: { eval_id: EXAMPLE_IDS.baseline },
  models: null,
  measure: 'passed',
  margin: 0.03,
  floor: { pass_rate: 0.8 },
  max_errored_share: 0.05,
  critical_tags: ['enum'],
  looks: 4,
  max_requests: 20_000,
};
const gate = {
  id: EXAMPLE_IDS.gate,
  version: 1,
  name: 'main',
  suite_id: EXAMPLE_IDS.suite,
  suite_name: 'Weather',
  ...rules,
  baseline_eval_id: EXAMPLE_IDS.baseline,
  created_at: at('09:20:00'),
  updated_at: at('09:20:00'),
};

/** 400 cases with one sample each, of which 3 were fixed and 3 broken. */
const passed = {
  target,
  baseline_target: target,
  result: 'pass',
  reason: 'not_worse',
  text: 'The new run is not worse by 3 points or more (98.4 %: -1.7 to 1.7; 400 cases): 3 fixed, 3 broken.',
  n_cases: 400,
  samples: [1, 1],
  mean_a: 0.9,
  mean_b: 0.9,
  difference: 0,
  ci: [-0.017042245279364796, 0.017042245279364796],
  p: 1,
  p_holm: 1,
  pass_rate: 0.9,
  pass_rate_ci: [0.8579525200164793, 0.9306076909092952],
  errored_shares: [0, 0],
  fixed: 3,
  broken: 3,
  cost: { a: 0.0212, b: 0.0224 },
  critical: [],
  cases_needed: null,
};
/** 60 cases with four samples each, of which a critical one was broken. */
const failed = {
  ...passed,
  result: 'fail',
  reason: 'critical',
  text: 'A critical case is broken: "Tokyo in Fahrenheit" always passed before, and never does now.',
  n_cases: 60,
  samples: [4, 4],
  mean_b: 0.8833333333333333,
  difference: -0.016666666666666666,
  ci: [-0.08572953064555111, 0.05347146612942208],
  p: 0.5679297937144329,
  p_holm: 0.5679297937144329,
  pass_rate: 0.8833333333333333,
  pass_rate_ci: [0.7646101835860517, 0.977325300284916],
  fixed: 0,
  broken: 1,
  critical: [
    { case_id: EXAMPLE_IDS.tokyo, case_name: 'Tokyo in Fahrenheit', position: 1, samples: [4, 4], confirmed: true },
  ],
};
/** 100 cases with eight samples each, of which 2 were fixed and 4 broken. */
const undecided = {
  ...passed,
  result: 'inconclusive',
  reason: 'undecided',
  text:
    'This data cannot tell whether the new run is worse by 3 points (98.4 %: -8.8 to 4.9; 100 cases): 2 fixed, 4 ' +
    'broken. More samples cannot decide; about 832 more cases could.',
  n_cases: 100,
  samples: [8, 8],
  mean_b: 0.88,
  difference: -0.02,
  ci: [-0.08771731002257828, 0.048501623748068476],
  p: 0.48220799511891754,
  p_holm: 0.48220799511891754,
  pass_rate: 0.88,
  pass_rate_ci: [0.7802527440719964, 0.9380642264408505],
  fixed: 2,
  broken: 4,
  cases_needed: 832,
};
const answer = {
  gate: { id: EXAMPLE_IDS.gate, name: 'main', version: 1, measure: 'passed', margin: 0.03 },
  eval_id: EXAMPLE_IDS.run,
  baseline_eval_id: EXAMPLE_IDS.baseline,
  result: 'pass',
  text: passed.text,
  look: { number: 1, planned: 4, alpha: 0.016, final: false },
  targets: [passed],
  cases: { common: 400, changed: 0, only_a: 0, only_b: 0, dropped_errored: 0 },
  what_changed: [{ path: '/system_prompt', a: null, b: 'Answer briefly.' }],
  notes: [],
};
const finalLook = {
  ...answer,
  result: 'inconclusive',
  text: undecided.text,
  look: { number: 4, planned: 4, alpha: 0.016, final: true },
  targets: [undecided],
  cases: { common: 100, changed: 2, only_a: 0, only_b: 0, dropped_errored: 0 },
  notes: ['The data have changed since the last of 4 planned looks. Its answer stands.'],
};

const config = {
  models: [{ provider_key: 'simulator', model_id: 'perfect-ish', params: { top_p: 0.9 } }],
  temperature: 0.2,
  tool_choice: 'auto',
  samples: 1,
  max_tokens: 512,
  timeout_s: 60,
  params: { top_p: 0.9 },
  system_prompt: 'Answer briefly.',
  base_prompt: null,
  tool_overrides: { 'tools/get_weather/description': 'Tells the weather in a city at the moment.' },
  prompt_version_id: EXAMPLE_IDS.prompt,
  metrics: [metricAsked],
  case_filter: { tags: ['enum'], category: 'current' },
  model_order: 'parallel',
  budget,
  cache: 'refresh',
  prompt_cache: '5m',
};
const gateRun = {
  id: EXAMPLE_IDS.gateRun,
  gate_id: EXAMPLE_IDS.gate,
  gate_version: 1,
  job_id: EXAMPLE_IDS.gateJob,
  status: 'completed',
  eval_id: EXAMPLE_IDS.run,
  baseline_eval_id: EXAMPLE_IDS.baseline,
  runs: [{ eval_id: EXAMPLE_IDS.run, step: 'run', arm: 'run' }],
  looks: [{ look: 1, samples: [1, 1], result: 'pass', text: passed.text }],
  result: answer,
  created_at: at('09:21:00'),
  finished_at: at('09:24:10'),
};

export const GATE_EXAMPLES = {
  GateInput: {
    'A gate with its own margin, floor and critical cases': {
      name: 'main',
      suite_id: EXAMPLE_IDS.suite,
      ...rules,
      models: [target],
    },
    'The baseline of an experiment': {
      name: 'nightly',
      suite_id: EXAMPLE_IDS.suite,
      baseline: { experiment_id: EXAMPLE_IDS.experiment },
    },
  },
  GateUpdate: {
    'Another baseline': { baseline: { eval_id: EXAMPLE_IDS.best } },
    'Another name, and all of its rules': {
      name: 'release',
      ...rules,
      baseline: { experiment_id: EXAMPLE_IDS.experiment },
      models: [target],
    },
  },
  Gate: {
    'A gate': gate,
    'With the baseline of an experiment, for one model': {
      ...gate,
      baseline: { experiment_id: EXAMPLE_IDS.experiment },
      models: [target],
    },
  },
  GateTarget: { 'A model that passes': passed, 'A critical case is broken': failed, 'The data cannot tell': undecided },
  GateAnswer: {
    'The run passes': answer,
    'The run fails': {
      ...answer,
      result: 'fail',
      text: failed.text,
      look: { number: 3, planned: 4, alpha: 0.016, final: false },
      targets: [failed],
      cases: { common: 60, changed: 0, only_a: 0, only_b: 0, dropped_errored: 0 },
    },
    'All looks are used up': finalLook,
  },
  GateRunConfig: { 'Another system prompt': { system_prompt: 'Answer briefly.' }, 'All settings': config },
  GateRunInput: {
    'Another system prompt': { config: { system_prompt: 'Answer briefly.' } },
    'A run that is there': { eval_id: EXAMPLE_IDS.run },
  },
  GateSubmitted: {
    'A gate run was submitted': {
      job_id: EXAMPLE_IDS.gateJob,
      gate_run_id: EXAMPLE_IDS.gateRun,
      status: 'submitted',
    },
  },
  GateRun: {
    'A gate run that is done': gateRun,
    'One that added samples': {
      ...gateRun,
      runs: [
        ...gateRun.runs,
        { eval_id: EXAMPLE_IDS.best, step: 'look-2', arm: 'baseline' },
        { eval_id: EXAMPLE_IDS.added, step: 'look-2', arm: 'run' },
      ],
      looks: [{ look: 4, samples: [8, 8], result: 'inconclusive', text: undecided.text }],
      result: finalLook,
    },
  },
  SamplesInput: {
    'Three more samples of each case': { samples: 3 },
    'Within limits': { samples: 3, budget: { max_requests: 1000 } },
  },
};
