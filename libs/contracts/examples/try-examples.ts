import { EXAMPLE_IDS, metricAsked, oneCall, severalCalls, suiteSettings, target } from './example-values.js';
import { RESULT_EXAMPLES } from './result-examples.js';

const {
  'A missing argument': missing,
  'Several calls': several,
  'An errored item': errored,
} = RESULT_EXAMPLES.ResultWithExchange;

const unanswered = {
  ...errored,
  latency_ms: null,
  attempts: 0,
  tool_choice_used: null,
  error: { kind: 'unanswered', message: 'There was no answer within 90 s: its lane is paused.' },
  explanation: ['There was no answer within 90 s: its lane is paused.'],
};

/** A result without what places it in a run. */
const tried = ({ ...result }: Record<string, unknown>): Record<string, unknown> => {
  const ofCase = ['case_id', 'case_name', 'prompt', 'category', 'tags', 'source'];
  const place = ['id', 'seq', ...ofCase, 'sample', 'scoring_version', 'cached'];
  for (const name of [...place, 'settled_at']) delete result[name];
  return result;
};

export const TRY_EXAMPLES = {
  TryInput: {
    'An edited case': {
      case: oneCall,
      suite_id: EXAMPLE_IDS.suite,
      models: [target],
      tool_choice: 'auto',
      metrics: [metricAsked],
      deadline_s: 90,
    },
    'Without a suite': {
      case: severalCalls,
      suite_id: null,
      tools: suiteSettings.tools,
      base_prompt: suiteSettings.system_prompt,
      pass_threshold: 0.8,
      models: [{ provider_key: 'simulator', model_id: 'perfect-ish', params: { top_p: 0.9 } }],
      temperature: 0.7,
      max_tokens: 512,
      timeout_s: 30,
      params: { seed: 7 },
      system_prompt: 'Call one tool at a time.',
      deadline_s: 60,
    },
  },
  TryResult: {
    'A missing argument': tried(missing),
    'Several calls': tried(several),
    'No answer in time': tried(unanswered),
  },
  Try: {
    'Two models': {
      results: [tried(missing), tried(unanswered)],
      cost_usd: 0.00005525,
      warnings: ['For "simulator::small", tool_choice "auto" was sent in place of "required".'],
    },
  },
};
