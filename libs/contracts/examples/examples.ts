import { readFileSync } from 'node:fs';
import { RARE_EXAMPLES, RARE_PROBLEMS } from './rare-examples.js';

interface Captured {
  /** Ids in the examples, by what they are of. */
  ids: Record<string, string>;
  problems: Record<string, object>;
  examples: Record<string, Record<string, unknown>>;
}
// `npm run docs:examples` writes it, and `scripts/build.mjs` copies it beside the built module.
const captured = JSON.parse(readFileSync(new URL('captured.json', import.meta.url), 'utf8')) as Captured;

export const EXAMPLE_IDS = captured.ids;

/** A problem for each status. */
export const PROBLEM_EXAMPLES: Record<string, object> = { ...captured.problems, ...RARE_PROBLEMS };

/**
 * Complete examples of every named schema, by its id. /docs shows them with requests, responses and fields. The first
 * example of a schema has most of its fields. The others have those that it leaves out.
 */
export const EXAMPLES: Record<string, Record<string, unknown>> = {
  Problem: { 'A field is missing': PROBLEM_EXAMPLES[400] },
  ...captured.examples,
  Counting: RARE_EXAMPLES.Counting,
  Evidence: { ...captured.examples.Evidence, ...RARE_EXAMPLES.Evidence },
};
