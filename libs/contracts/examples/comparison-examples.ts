import { EXAMPLE_IDS, at, suite, target } from './example-values.js';

/** 100 cases with one sample each, of which 12 were fixed and 3 broken. */
export const passed = {
  measure: 'passed',
  n_cases: 100,
  samples: [1, 1],
  mean_a: 0.68,
  mean_b: 0.77,
  difference: 0.09,
  ci: [0.009556381534638808, 0.16691420670065532],
  ci90: [0.02239303092454757, 0.15407755731074657],
  se: 0.03966208748352614,
  df: 101,
  p: 0.028328227450972004,
  small: false,
  robust: true,
  bounds: [0.09, 0.09],
  smallest_detectable: 0.11220109256195054,
  cases_for_margin: 3148,
  variance: null,
  classic: { se: 0.0378593889720019, ci: [0.014878758625049962, 0.16512124137495005] },
  verdict: 'improved',
  reasons: [],
  text: 'The new run is better by 9 points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
};
/** Those of them that expect a call. */
const passedCalls = {
  ...passed,
  n_cases: 90,
  mean_a: 0.6888888888888889,
  mean_b: 0.7666666666666667,
  difference: 0.07777777777777778,
  ci: [-0.006486832999034645, 0.1586607460425129],
  ci90: [0.007007053299674881, 0.1451668597438034],
  se: 0.04157004591856668,
  df: 91,
  p: 0.0704739267640066,
  robust: false,
  bounds: [0.07777777777777778, 0.07777777777777778],
  smallest_detectable: 0.11772496249385338,
  cases_for_margin: 3119,
  classic: { se: 0.03943349710052962, ci: [-0.0005757410080172859, 0.15613129656357283] },
  verdict: null,
  text: null,
};
/** 20 cases with five samples each, all of which rose from two passes to three. */
const overall = {
  ...passed,
  measure: 'overall',
  n_cases: 20,
  samples: [5, 5],
  mean_a: 0.64,
  mean_b: 0.84,
  difference: 0.2,
  ci: [0.13401076541516407, 0.22962559822119963],
  ci90: [0.1422607069120474, 0.2213756567243163],
  se: 0.022988602679396966,
  df: 21,
  p: 9.887078533715969e-8,
  bounds: [0.2, 0.2],
  smallest_detectable: 0.06755632807029789,
  cases_for_margin: null,
  variance: { between: 0, within: 0.0192 },
  classic: { se: 0, ci: [0.2, 0.2] },
  text: 'The new run is better by 20 points (95 %: 13 to 23; 20 cases): 20 better, none worse.',
};

const none = { fixed: 0, broken: 0, better: 0, worse: 0, same_right: 0, same_wrong: 0, same_mixed: 0 };
const outcomes = { ...none, fixed: 12, broken: 3, same_right: 65, same_wrong: 20 };
const run = {
  rescore_id: null,
  suite: { id: EXAMPLE_IDS.suite, name: suite.name, version: suite.version },
  status: 'completed',
  targets: [target],
  unmatched: [],
  samples: 1,
  errored_share: 0,
};
const baseline = { ...run, id: EXAMPLE_IDS.baseline, created_at: at('09:14:00') };
const other = { ...run, id: EXAMPLE_IDS.run, created_at: at('09:15:00') };

const comparison = {
  a: baseline,
  b: other,
  what_changed: [{ path: '/system_prompt', a: null, b: 'Answer briefly.' }],
  notes: [],
  cases: { common: 100, changed: 0, only_a: 0, only_b: 0, dropped_errored: 0 },
  all: passed,
  targets: [
    {
      a: target,
      b: target,
      estimate: passed,
      p_holm: passed.p,
      mcnemar: { fixed: 12, broken: 3, p_exact: 0.03515625, p_mid: 0.021270751953125 },
      newcombe: [0.013266388887535854, 0.16684712376039326],
      outcomes,
    },
  ],
  categories: [{ category: 'current', estimate: passedCalls }],
  tools: [{ tool: 'get_weather', estimate: passedCalls }],
  outcomes,
  confusion: [
    { expected: 'get_weather', called: 'get_weather', a: 81, b: 85 },
    { expected: 'get_weather', called: '(none)', a: 9, b: 5 },
  ],
  cost: { a: 0.0053, b: 0.0056 },
  latency_p50_ms: { a: 640, b: 655 },
};
const ofOtherVersion = {
  ...comparison,
  a: { ...baseline, samples: 5, rescore_id: EXAMPLE_IDS.rescore, unmatched: ['simulator::slow'] },
  b: { ...other, samples: 5, suite: { ...run.suite, version: 4 } },
  what_changed: [{ path: '/suite/version', a: 3, b: 4 }],
  notes: [
    '1 case asks the same and expects something else now: rescore the baseline under the new expectations to compare ' +
      'them. A new run with its settings does that, and with "cache": "use" its stored replies answer what did not ' +
      'change.',
  ],
  cases: { common: 20, changed: 1, only_a: 0, only_b: 2, dropped_errored: 0 },
  all: overall,
  targets: [
    {
      a: target,
      b: target,
      estimate: overall,
      p_holm: overall.p,
      mcnemar: null,
      newcombe: null,
      outcomes: { ...none, better: 20 },
    },
  ],
  categories: [],
  tools: [],
  outcomes: { ...none, better: 20 },
  confusion: [],
};

const side = { score: 1, passed_samples: 1, scored_samples: 1, errored_samples: 0 };
const comparedItem = {
  case_id: EXAMPLE_IDS.tokyo,
  case_name: 'Tokyo in Fahrenheit',
  category: 'current',
  prompt: 'Temperature in Tokyo in Fahrenheit',
  expected: { tool: 'get_weather', params: { city: 'Tokyo', units: 'fahrenheit' } },
  target_a: target,
  target_b: target,
  outcome: 'broken',
  a: {
    ...side,
    eval_id: EXAMPLE_IDS.baseline,
    result_id: '0-1-0',
    called: [{ name: 'get_weather', arguments: { city: 'Tokyo', units: 'fahrenheit' } }],
    explanation: ['The right tool was called: "get_weather".', 'All expected arguments match.'],
  },
  b: {
    ...side,
    score: 0.8,
    passed_samples: 0,
    eval_id: EXAMPLE_IDS.run,
    result_id: '0-1-0',
    called: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }],
    explanation: [
      'The right tool was called: "get_weather".',
      'The argument units is missing (expected "fahrenheit").',
    ],
  },
};
const malformed = { name: 'get_weather', arguments: null, raw: '{"city": "Par', repairs: ['function_call'] };
const ofSeveralCalls = {
  ...comparedItem,
  a: { ...comparedItem.a, called: [malformed] },
  b: { ...comparedItem.b, called: [malformed] },
  expected: { tool: null, params: null, calls: [{ tool: 'get_weather', params: { city: 'Paris' } }] },
};

export const COMPARISON_EXAMPLES = {
  DifferenceEstimate: { 'Passed cases, one sample each': passed, 'Scores, five samples each': overall },
  Ranking: {
    'Three models, two of which cannot be told apart': {
      text:
        'This data cannot tell; it could have shown 10 points. ' +
        'gpt-y minus gpt-x is 2 points (95 %: -5 to 9; 100 cases): 7 fixed, 5 broken.',
      items: [
        { target: 'openai::gpt-y', rank: [1, 2] },
        { target: 'openai::gpt-x', rank: [1, 2] },
        { target: 'openai::gpt-z', rank: [3, 3] },
      ],
    },
  },
  Comparing: {
    'Two large runs': {
      status: 'comparing',
      detail:
        'The runs are still being compared. Ask again at ' +
        '/api/tool-eval/history/019aa8a2-5c1e-7000-8000-000000000011/ranking?wait=20, which waits for the answer.',
      url: '/api/tool-eval/history/019aa8a2-5c1e-7000-8000-000000000011/ranking?wait=20',
    },
  },
  Comparison: { 'A prompt that helps': comparison, 'Of another version of the suite': ofOtherVersion },
  Comparisons: { 'Two runs with one baseline': { comparisons: [comparison, ofOtherVersion] } },
  ComparedItem: { 'A case that broke': comparedItem, 'A case that expects several calls': ofSeveralCalls },
};
