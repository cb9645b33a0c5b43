import { z } from 'zod';
import { described } from './named.js';

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('The maximum number of entries on the page.'),
  cursor: z.string().max(500).optional().meta({
    description: 'The `next_cursor` of the previous page. If left out, the list starts at its beginning.',
    example: '019aa8a2-5c1e-7000-8000-000000000011',
  }),
});
export type PageQuery = z.infer<typeof PageQuery>;

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  described('A page of the list.', {
    items: z.array(item).describe('The entries of this page.'),
    next_cursor: z.string().nullable().meta({
      description: 'The `cursor` of the next page; null when this page is the last.',
      example: '019aa8a2-5c1e-7000-8000-000000000011',
    }),
  });

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** `true` or `false` in a query. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

/** A text that names contain. */
export const searched = z.string().min(1).max(200).optional();

/** The maximum number of values of a filter. */
const MAX_FILTER_VALUES = 50;
/** A filter in a query that takes one value, or several as repeated keys; items that match any of them are listed. */
export const severalOf = <Value extends string>(value: z.ZodType<Value>) =>
  z
    .preprocess(
      (given) => (Array.isArray(given) ? [...new Set(given)] : [given]),
      z.array(value).min(1).max(MAX_FILTER_VALUES, `must have at most ${MAX_FILTER_VALUES} values`),
    )
    .optional();
export const time = z.iso.datetime();
export const id = z.uuid();
/** A suite's id in a body. Anything else is looked up among the names, to suggest which suite was meant. */
export const suiteId = z.string().min(1).max(200).meta({ format: 'uuid' });
