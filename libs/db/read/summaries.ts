import type { Summary } from '#lib/contracts/summary';

/** What summaries that an earlier release stored do not have. */
const ADDED_LATER = {
  pass_at_k: [],
  pass_hat_k: [],
  metrics: {},
  tool_choice_used: {},
  cached: { results: 0, prompt_tokens: 0, completion_tokens: 0 },
} satisfies Partial<Summary>;

const whole = (stored: Summary): Summary => ({ ...ADDED_LATER, ...stored });

/** A stored summary, or a list of them. */
export const summaryOf = (json: string): Summary => whole(JSON.parse(json) as Summary);
export const summariesOf = (json: string): Summary[] => (JSON.parse(json) as Summary[]).map(whole);
