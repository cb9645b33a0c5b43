import type { Summary } from '#lib/contracts/summary';

/** What summaries that an earlier release stored do not have. */
const ADDED_LATER = { pass_at_k: [], pass_hat_k: [], metrics: {}, cached: { results: 0, prompt_tokens: 0, completion_tokens: 0 } } satisfies Partial<Summary>;

/** A stored summary. */
export const summaryOf = (json: string): Summary => ({ ...ADDED_LATER, ...(JSON.parse(json) as Summary) });
