import { z } from 'zod';
import { object, readPosted } from './read-posted.js';

const share = z.number('must be a number from 0 to 1').min(0).max(1);

const Rule = object({
  phrase: z.string('must be a string').trim().min(1, 'must not be empty'),
  /** Where the phrase counts: in the system message, in one tool's description, or in any of these. */
  where: z
    .string('must be "system", "tools/<name>" or "any"')
    .regex(/^(system|any|tools\/.+)$/)
    .default('any'),
  /** Only prompts that contain this text; null for all prompts. */
  when: z.string('must be a string or null').nullish(),
  gain: z.number('must be a number from -1 to 1').min(-1).max(1),
});

const Sensitivity = object({
  base: share,
  rules: z.array(Rule, 'must be a list').default([]),
  too_long: object({ chars: z.int('must be a whole number, 0 or more').min(0), loss: share }).nullish(),
  seed: z.int('must be a whole number').default(0),
});

/** How a model's skill depends on its prompts. */
export type PromptSensitivity = z.infer<typeof Sensitivity> & {
  /** Number of requests by content since this was posted. */
  asked: Map<string, number>;
};

const SHAPE =
  'Post {"base": 0.4, "rules": [{"phrase": "...", "where": "system" | "tools/<name>" | "any", ' +
  '"when": "<part of the prompt>" | null, "gain": 0.2}], "too_long": {"chars": 2000, "loss": 0.1} | null, "seed": 0}.';

/** @throws Error that describes the fault in the posted body */
export const readPromptSensitivity = (body: unknown): PromptSensitivity => ({
  ...readPosted(Sensitivity, body, SHAPE),
  asked: new Map(),
});
