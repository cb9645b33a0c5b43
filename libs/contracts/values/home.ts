/** What may need somebody. */
export const CONCERNS = ['worse', 'gate', 'lane', 'redis'] as const;

/** What a new team does first, in order. */
export const FIRST_STEP_IDS = ['provider', 'suite', 'run', 'baseline', 'colleague'] as const;
export type FirstStepId = (typeof FIRST_STEP_IDS)[number];

/** The key of the provider of simulated models. */
export const SIMULATOR = 'simulator';
