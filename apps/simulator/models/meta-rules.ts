import { z } from 'zod';
import { object, readPosted } from './read-posted.js';

const REPLIES = ['tool', 'nonsense', 'wrong_schema'] as const;
const line = z.string('must be a string').trim().min(1, 'must not be empty');

const Rules = object({
  rules: z
    .array(
      object({
        /** A part of the user message, or a component's key; null for every request. */
        when: z.string('must be a string or null').min(1, 'must not be empty').nullish(),
        append: line,
      }),
      'must be a list',
    )
    .default([]),
  /** The line that a reflection appends when no rule applies. */
  otherwise: line.nullish(),
  /** Whether it also appends the prompt of the first example, as a careless model does. */
  copy_examples: z.boolean('must be true or false').default(false),
  reply: z.enum(REPLIES, 'must be "tool", "nonsense" or "wrong_schema"').default('tool'),
});

/** How a simulated meta model changes the texts that it is asked to improve. */
export type MetaRules = z.infer<typeof Rules>;

const SHAPE =
  'Post {"rules": [{"when": "<part of the request>" | "<component>" | null, "append": "..."}], ' +
  '"otherwise": "..." | null, "copy_examples": false, "reply": "tool" | "nonsense" | "wrong_schema"}.';

/** @throws Error that describes the fault in the posted body */
export const readMetaRules = (body: unknown): MetaRules => readPosted(Rules, body, SHAPE);
