import { passed } from './comparison-examples.js';
import { EXAMPLE_IDS, at, idOf, target } from './example-values.js';
import { estimate } from './run-examples.js';

const asked = {
  suite_id: EXAMPLE_IDS.suite,
  models: [target],
  meta_model: target,
  mode: 'quick',
  holdout: 0,
};
const metaParams = { temperature: 1, max_tokens: 8192, timeout_s: 120, params: {} };
const description = 'tools/get_weather/description';
const input = {
  ...asked,
  mode: 'reflective',
  components: ['system_prompt', 'tools/*/description'],
  base: { system_prompt: null, tools: {} },
  variants: 8,
  population: 6,
  generations: 3,
  selection_ratio: 0.4,
  minibatch: 4,
  max_evals: 300,
  max_growth: 2,
  holdout: 0.3,
  seed: 1,
  measure: 'overall',
  margin: 0.02,
  samples: 1,
  temperature: 0,
  tool_choice: 'required',
  max_tokens: null,
  params: {},
  timeout_s: 120,
  cache: 'use',
  prompt_cache: 'off',
  budget: { max_requests: 2000 },
  experiment_id: EXAMPLE_IDS.experiment,
  meta_params: metaParams,
};
const base = { system_prompt: 'You help people with the weather.', [description]: 'Get the weather.' };
const better = 'Get the weather of one city. Use another tool for climate, and none for small talk.';
const meta = { eval_id: idOf(36), prompt_tokens: 1502, completion_tokens: 96, cost_usd: 0.0004 };
const candidate = {
  candidate: 3,
  kind: 'reflection',
  iteration: 4,
  parents: [1],
  state: 'best',
  reason: null,
  why: 'Says when not to call it: two cases called it for small talk.',
  changed: { [description]: better },
  length: 117,
  scores: { minibatch: 0.75, parent: 0.25, select: 0.8333, final: 0.8148, holdout: 0.77 },
  meta,
  runs: [
    { eval_id: EXAMPLE_IDS.trial, part: 'minibatch' },
    { eval_id: idOf(37), part: 'select' },
  ],
};
const rejected = {
  ...candidate,
  candidate: 2,
  state: 'rejected',
  reason: 'It repeats words of a case: "the weather in paris on friday".',
  why: null,
  scores: { minibatch: null, parent: null, select: null, final: null, holdout: null },
  runs: [],
};
const tune = {
  id: EXAMPLE_IDS.promptTune,
  job_id: EXAMPLE_IDS.tuneJob,
  status: 'completed',
  suite_id: EXAMPLE_IDS.suite,
  suite_name: 'Weather',
  suite_version: 1,
  experiment_id: EXAMPLE_IDS.experiment,
  input,
  step: 'done',
  targets: [target],
  meta_target: 'openai::gpt-x',
  cases: { tuning: 42, reflect: 24, select: 18, holdout: 18 },
  base,
  planned_requests: 657,
  evaluations: 151,
  candidates: 13,
  front: [3],
  best: 3,
  texts: { ...base, [description]: better },
  holdout: passed,
  outcome: 'confirmed',
  text: `Take candidate 3: it is better than the base on cases that nothing was chosen by. ${passed.text}`,
  prompt_version_id: EXAMPLE_IDS.prompt,
  promoted_eval_id: EXAMPLE_IDS.best,
  meta: { requests: 12, prompt_tokens: 18_024, completion_tokens: 1152, cost_usd: 0.0048 },
  notes: [],
  created_at: at('10:20:00'),
  finished_at: at('10:26:10'),
};

export const PROMPT_TUNE_EXAMPLES = {
  PromptTuneInput: {
    'Several texts at once': asked,
    'All settings': { ...input, base: { system_prompt: '', tools: {} }, mode: 'quick', variants: 2, holdout: 0 },
  },
  PromptCandidate: { 'The best candidate': candidate, 'A rejected one': rejected },
  PromptCandidateDetails: {
    'The best candidate': {
      ...candidate,
      texts: tune.texts,
      per_case: [
        [4, 1],
        [9, 0.6],
      ],
    },
  },
  PromptTune: {
    'A tune that is done': tune,
    'One that stopped': {
      ...tune,
      status: 'budget_exceeded',
      step: 'search',
      holdout: null,
      outcome: 'unconfirmed',
      prompt_version_id: null,
      promoted_eval_id: null,
      notes: ['The tune may take 657 requests, and the budget ends it after 300: it may have no answer then.'],
    },
  },
  PromptTuneEstimate: {
    'Eight texts': {
      ...estimate,
      components: ['system_prompt', description],
      meta: { requests: 1, prompt_tokens: 1530, completion_tokens: 300, cost_usd: 0.0004 },
      notes: [],
    },
  },
  PromptTuneSubmitted: {
    'A tune was submitted': { job_id: EXAMPLE_IDS.tuneJob, tune_id: EXAMPLE_IDS.promptTune, status: 'submitted' },
  },
};
