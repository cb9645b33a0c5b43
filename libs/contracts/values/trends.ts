/** What a trend is of: all cases of a suite, a category of them, or those that expect a tool. */
export const TREND_PART_KINDS = ['all', 'category', 'tool'] as const;
export type TrendPartKind = (typeof TREND_PART_KINDS)[number];

/** Categories and tools of a run of which points are kept, those with the most cases. */
export const TREND_PARTS_KEPT = 50;
