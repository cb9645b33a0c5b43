import { z } from 'zod';

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});
export type PageQuery = z.infer<typeof PageQuery>;

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() });

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

export const time = z.iso.datetime();
export const id = z.uuid();
/** A suite's id in a body. What is no id is looked for among the names, to say which suite may be meant. */
export const suiteId = z.string().min(1).max(200).meta({ format: 'uuid' });
