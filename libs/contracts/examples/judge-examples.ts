import { EXAMPLE_IDS, at, budget, idOf, target } from './example-values.js';
import { calibrated, judge } from './label-examples.js';

const input = {
  eval_id: EXAMPLE_IDS.run,
  judge,
  which: 'all',
  sample_size: 100,
  below: 1,
  samples: 1,
  instructions: 'Times without a zone are local.',
  reference: true,
  allow_self: false,
  seed: 1,
  temperature: 0,
  max_tokens: 4096,
  timeout_s: 120,
  params: {},
  budget: null,
  experiment_id: EXAMPLE_IDS.experiment,
};
const reason = 'The user asked for Fahrenheit, and the call asks for Celsius.';
const judged = {
  verdict: 'wrong',
  tool: 'right',
  arguments: 'partly',
  reasons: [reason],
  expectation_at_fault: false,
  expectation_note: null,
};
const judgement = {
  position: 0,
  eval_id: EXAMPLE_IDS.run,
  result_id: '0-1-0',
  other_result_id: null,
  target,
  case_id: EXAMPLE_IDS.tokyo,
  case_name: 'Tokyo in Fahrenheit',
  prompt: 'Temperature in Tokyo in Fahrenheit',
  passed: false,
  state: 'judged',
  judged,
  preference: null,
  flipped: false,
  reasons: [reason],
  agreement: 'agrees',
  suspicious: false,
  votes: { wrong: 1 },
  error: null,
  usage: { prompt_tokens: 912, completion_tokens: 84 },
  cost_usd: 0.0003,
};

/** 400 results: of 310 that passed the judge finds 300 ok, of 90 that did not 8. */
const shares = { share_ok: 0.77, share_ok_ci: [0.7256, 0.8088], kappa: 0.8722, kappa_ci: [0.815, 0.9294] };
const ofTarget = {
  target,
  judged: 400,
  errored: 0,
  counts: { correct: 296, acceptable: 12, wrong: 92, cannot_tell: 0 },
  ...shares,
  kinder: 8,
  stricter: 10,
  expectation_at_fault: 5,
  suspicious: 1,
};
const report = {
  id: EXAMPLE_IDS.report,
  root_id: EXAMPLE_IDS.report,
  version: 1,
  job_id: idOf(45),
  status: 'completed',
  error: null,
  eval_id: EXAMPLE_IDS.run,
  baseline_eval_id: null,
  experiment_id: EXAMPLE_IDS.experiment,
  judge,
  source: 'user',
  self_judged: false,
  input,
  items: 400,
  judged: 400,
  errored: 0,
  ...shares,
  targets: [ofTarget],
  pairs: [],
  strengths: ['It finds the right tool in nearly every case.'],
  weaknesses: ['It leaves units out where the user names them.'],
  recommendations: ['Say in the description of "units" that it is required where the user names one.'],
  calibration: calibrated,
  usage: { requests: 401, prompt_tokens: 364_800, completion_tokens: 33_600 },
  cost_usd: 0.12,
  notes: [],
  created_at: at('11:00:00'),
  finished_at: at('11:04:00'),
};
const pair = {
  a: target,
  b: target,
  wins: 24,
  losses: 9,
  ties: 27,
  position_flips: 4,
  errored: 0,
  preference: 0.7273,
  preference_ci: [0.5578, 0.849],
  can_tell: true,
  text: `The judge prefers ${target} to ${target}: in 24 of 33 decided cases (95 %: 56 to 85 %).`,
};
const compared = { ...input, eval_id: undefined, a: EXAMPLE_IDS.baseline, b: EXAMPLE_IDS.run };
const setting = { judge, instructions: 'Times without a zone are local.', auto_below: 0.8 };

export const JUDGE_EXAMPLES = {
  JudgeInput: {
    'What did not pass in a run': { eval_id: EXAMPLE_IDS.run, judge },
    'All of a run': { ...input, budget, below: 0.5 },
    'Two runs': { a: EXAMPLE_IDS.baseline, b: EXAMPLE_IDS.run, judge },
  },
  JudgeSubmitted: { 'A report': { job_id: idOf(45), report_id: EXAMPLE_IDS.report, status: 'submitted' } },
  JudgeSetting: { 'Runs below 80 %': setting, 'No judge': { judge: null, instructions: '', auto_below: 0 } },
  Judgement: {
    'A wrong reply': judgement,
    'An expectation at fault': {
      ...judgement,
      position: 1,
      judged: { ...judged, verdict: 'acceptable', expectation_at_fault: true, expectation_note: 'Tōkyō is as good.' },
      agreement: 'kinder',
    },
    'Of two runs': {
      ...judgement,
      other_result_id: '0-1-0',
      judged: null,
      preference: 'win',
      agreement: null,
      votes: { win: 2 },
    },
    'The judge gave no reply': {
      ...judgement,
      state: 'errored',
      judged: null,
      reasons: [],
      agreement: null,
      votes: {},
      error: 'The judge gave no reply: The provider answered 503.',
      cost_usd: null,
    },
  },
  JudgeReport: {
    'A run': report,
    'Two runs': {
      ...report,
      id: idOf(142),
      root_id: idOf(142),
      baseline_eval_id: EXAMPLE_IDS.baseline,
      input: JSON.parse(JSON.stringify(compared)) as object,
      items: 60,
      judged: 60,
      share_ok: null,
      share_ok_ci: null,
      kappa: null,
      kappa_ci: null,
      targets: [],
      pairs: [pair],
    },
    'The judge is down': {
      ...report,
      status: 'failed',
      error:
        `The judge ${judge} could not be asked: The provider answered 503. Resume the report when it replies ` +
        'again.',
    },
  },
};
