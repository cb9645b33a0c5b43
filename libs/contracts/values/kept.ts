/** The lists of the page of which a user keeps a view. */
export const VIEW_LISTS = [
  'home',
  'runs',
  'results',
  'failures',
  'cases',
  'suites',
  'experiments',
  'gates',
  'tunes',
  'prompts',
  'judge',
  'jobs',
  'lanes',
  'spending',
] as const;
export type ViewList = (typeof VIEW_LISTS)[number];

/** What a user can tag and archive. */
export const MARKED_KINDS = ['run', 'suite', 'experiment'] as const;
export type MarkedKind = (typeof MARKED_KINDS)[number];

/** The entry in `hidden` of the view of home that puts away the first steps. */
export const FIRST_STEPS = 'first-steps';
