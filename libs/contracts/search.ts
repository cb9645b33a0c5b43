import { z } from 'zod';
import { JobStatus } from './job-status.js';
import { named } from './named.js';
import { id, time } from './page.js';
import { SEARCH_TYPES } from './values/search.js';

/** Accepts comma-separated words, repeated keys, or both; each counts once. */
const words = (given: unknown): unknown[] => [
  ...new Set([given].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]))),
];

export const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(200).meta({
    description: 'Words that a name, note, prompt or id contains, in any case. All of them must occur.',
    example: 'weather',
  }),
  types: z
    .preprocess(words, z.array(z.enum(SEARCH_TYPES)).min(1))
    .optional()
    .meta({ description: 'What to look for, separated by commas or repeated. If left out, all.', example: ['run'] }),
  limit: z.coerce.number().int().min(1).max(50).default(20).describe('The maximum number of matches.'),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

export const SearchMatch = named('SearchMatch', 'Something that a search has found.', {
  type: z.enum(SEARCH_TYPES).describe('What it is.'),
  id: z.string().describe('Its id; for a model `provider_key::model_id`.'),
  name: z.string().describe('Its name; the prompt of a case without one, and the suite of a run without one.'),
  suite: z
    .object({
      id: id.describe('The id of the suite.'),
      name: z.string().describe('Its name.'),
    })
    .nullable()
    .describe('The suite that it belongs to; null for none.'),
  status: JobStatus.nullable().describe('The status of a run; null for anything else.'),
  at: time.nullable().describe('When it was created; null for models and cases.'),
});
export type SearchMatch = z.infer<typeof SearchMatch>;

export const SearchAnswer = named('SearchAnswer', 'What a search has found.', {
  items: z.array(SearchMatch).describe('The best matches first, and of equal ones the newest.'),
  partial: z
    .array(z.enum(SEARCH_TYPES))
    .describe('Of these there are more than a search looks through; only the newest were searched.'),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
