import { z } from 'zod';
import { object, readPosted } from './read-posted.js';

const STYLES = ['right', 'lenient', 'harsh', 'position_biased', 'gullible', 'unreadable', 'wrong_schema'] as const;
const VERDICTS = ['correct', 'acceptable', 'cannot_tell', 'wrong'] as const;
const TOOL = ['right', 'acceptable_alternative', 'wrong', 'missing', 'unneeded'] as const;
const ARGUMENTS = ['right', 'equivalent', 'partly', 'wrong', 'not_applicable'] as const;

const text = z.string('must be a string').min(1, 'must not be empty');
const count = z.int('must be a whole number, 0 or more').min(0);
const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, `must be one of ${words.map((word) => `"${word}"`).join(', ')}`);

const Rule = object({
  /** A part of the judged conversation or calls. */
  when: text,
  verdict: oneOf(VERDICTS).optional(),
  tool: oneOf(TOOL).optional(),
  arguments: oneOf(ARGUMENTS).optional(),
  expectation_at_fault: z.boolean('must be true or false').optional(),
  expectation_note: z.string('must be a string or null').nullish(),
  /** A part of the calls or text that makes a reply win, in either position. */
  winner: text.optional(),
});

const Rules = object({
  style: oneOf(STYLES).default('right'),
  table: z.array(Rule, 'must be a list').default([]),
  latency_ms: count.max(999_999, 'must be at most 999999').default(0),
  /** How many of the first requests with the same evidence get an unreadable reply. */
  unreadable_first: count.default(0),
});

/** How a simulated judge decides. */
export type JudgeRules = z.infer<typeof Rules> & {
  /** Number of requests by evidence since these rules were posted. */
  asked: Map<string, number>;
};
export type Verdict = (typeof VERDICTS)[number];
export type ToolVerdict = (typeof TOOL)[number];
export type ArgumentsVerdict = (typeof ARGUMENTS)[number];

const SHAPE =
  'Post {"style": "right", "table": [{"when": "<part of the conversation or calls>", "verdict": "wrong", ' +
  '"tool": "right", "arguments": "partly", "expectation_at_fault": false, "expectation_note": "..." | null, ' +
  '"winner": "<part of the better calls>"}], "latency_ms": 0, "unreadable_first": 0}.';

/** @throws Error that describes the fault in the posted body */
export const readJudgeRules = (body: unknown): JudgeRules => ({
  ...readPosted(Rules, body, SHAPE),
  asked: new Map(),
});
