import type { GroupSummary, Summary } from '#lib/contracts/summary';

/** Fields missing in summaries stored by an earlier release. */
const ADDED_LATER = {
  ci_method: 'bootstrap',
  pass_at_k: [],
  pass_hat_k: [],
  metrics: {},
  tool_choice_used: {},
  cached: { results: 0, prompt_tokens: 0, completion_tokens: 0 },
} satisfies Partial<Summary>;
const GROUP_ADDED_LATER = { overall_ci: null } satisfies Partial<GroupSummary>;

const complete = (stored: Summary): Summary => ({
  ...ADDED_LATER,
  ...stored,
  by_category: Object.fromEntries(
    Object.entries(stored.by_category).map(([name, group]) => [name, { ...GROUP_ADDED_LATER, ...group }]),
  ),
});

export const parseSummary = (json: string): Summary => complete(JSON.parse(json) as Summary);
export const parseSummaries = (json: string): Summary[] => (JSON.parse(json) as Summary[]).map(complete);
