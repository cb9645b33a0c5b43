import { z } from 'zod';
import { named, namedInput } from './named.js';
import { id, PageQuery, severalOf, time } from './page.js';
import { MARKED_KINDS, VIEW_LISTS } from './values/kept.js';

/** Limits of what a user keeps. */
export const KEPT = { viewLength: 8192, tags: 20, marks: 20_000 };

const word = z.string().min(1).max(100);
const value = z.string().max(500);

export const ViewInput = z
  .strictObject({
    filters: z
      .record(word, z.union([value, z.array(value).max(50)]))
      .default({})
      .describe('The filters, as in the query string of the list.'),
    order: z
      .strictObject({
        by: word.describe('The column.'),
        descending: z.boolean().default(false).describe('Whether the highest value comes first.'),
      })
      .nullable()
      .default(null)
      .describe('The order; null for that of the list.'),
    columns: z
      .array(word)
      .max(50)
      .nullable()
      .default(null)
      .describe('The shown columns, in order; null for those of the list.'),
    hidden: z.array(word).max(50).default([]).describe('Parts that the user has put away.'),
  })
  .refine(
    (view) => JSON.stringify(view).length <= KEPT.viewLength,
    `must be at most ${KEPT.viewLength} characters of JSON`,
  )
  .meta({ id: 'ViewInput', description: "A user's view of a list." });
export type ViewInput = z.infer<typeof ViewInput>;

export const View = ViewInput.safeExtend({
  list: z.enum(VIEW_LISTS).describe('The list.'),
  updated_at: time.nullable().describe('When the user last changed it; null before that.'),
}).meta({ id: 'View', description: "A user's view of a list. Nobody else sees it." });
export type View = z.infer<typeof View>;

const tag = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .regex(/^[^,]*$/, 'must not contain a comma');

export const MarksInput = namedInput('MarksInput', 'The marks to change. Omitted fields stay.', {
  tags: z.array(tag).max(KEPT.tags).optional().describe("The user's own tags, in place of the earlier ones."),
  archived: z.boolean().optional().describe('Whether it is left out of the lists of this user. Others still see it.'),
});
export type MarksInput = z.infer<typeof MarksInput>;

/** The marks of a user on one thing. */
export const Marks = named('Marks', "A user's own marks. Nobody else sees them.", {
  tags: z.array(z.string()).describe("The user's tags, sorted."),
  archived: z.boolean().describe('Whether the lists of this user leave it out.'),
});
export type Marks = z.infer<typeof Marks>;

export const Marked = Marks.extend({
  kind: z.enum(MARKED_KINDS).describe('What is marked.'),
  id: id.describe('Its id.'),
  updated_at: time.describe('When the user last changed the marks.'),
}).meta({ id: 'Marked', description: 'A run, suite or experiment that a user has marked.' });
export type Marked = z.infer<typeof Marked>;

export const MarksQuery = z.strictObject({
  ...PageQuery.shape,
  kind: z.enum(MARKED_KINDS).optional().meta({ description: 'Only marks on this kind.', example: 'run' }),
});
export type MarksQuery = z.infer<typeof MarksQuery>;

export const OwnTags = named('OwnTags', "A user's own tags.", {
  items: z
    .array(
      z.object({
        tag: z.string().describe('The tag.'),
        count: z.int().describe('How many things of this kind have it.'),
      }),
    )
    .describe('The most frequent first, at most 200.'),
});
export type OwnTags = z.infer<typeof OwnTags>;

export const OwnTagsQuery = z.strictObject({
  kind: z.enum(MARKED_KINDS).default('run').meta({ description: 'Tags of this kind of things.', example: 'run' }),
});
export type OwnTagsQuery = z.infer<typeof OwnTagsQuery>;

/** Filters of lists by the caller's own marks. */
export const markFilters = {
  tag: severalOf(tag).meta({
    description: 'Only those with this tag of yours; repeat it for several.',
    example: ['release'],
  }),
  archived: z.enum(['false', 'true', 'any']).default('false').meta({
    description: 'Whether you have archived them: those you have not, those you have, or both (`any`).',
    example: 'false',
  }),
};
export interface MarkFilters {
  tag?: string[] | undefined;
  archived: 'false' | 'true' | 'any';
}
