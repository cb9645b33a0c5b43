import { readFileSync } from 'node:fs';
import { RARE_EXAMPLES, RARE_PROBLEMS } from './rare-examples.js';

interface Captured {
  /** Ids in the examples, by resource. */
  ids: Record<string, string>;
  problems: Record<string, object>;
  examples: Record<string, Record<string, unknown>>;
}
// Written by `npm run docs:examples`; `scripts/build.mjs` copies it next to the built module.
const captured = JSON.parse(readFileSync(new URL('captured.json', import.meta.url), 'utf8')) as Captured;

export const EXAMPLE_IDS = captured.ids;

/** A problem for each status. */
export const PROBLEM_EXAMPLES: Record<string, object> = { ...captured.problems, ...RARE_PROBLEMS };

/**
 * Complete examples of every named schema, by its id. /docs shows them with requests, responses and fields. The first
 * example of a schema has most of its fields; the others have the rest.
 */
export const EXAMPLES: Record<string, Record<string, unknown>> = {
  Problem: { 'A field is missing': PROBLEM_EXAMPLES[400] },
  ...captured.examples,
  AuditChange: RARE_EXAMPLES.AuditChange,
  AuditEntry: RARE_EXAMPLES.AuditEntry,
  Counting: RARE_EXAMPLES.Counting,
  SampleDrift: RARE_EXAMPLES.SampleDrift,
  Concern: { ...captured.examples.Concern, ...RARE_EXAMPLES.Concern },
  Quota: RARE_EXAMPLES.Quota,
  Quotas: RARE_EXAMPLES.Quotas,
  QuotasInput: RARE_EXAMPLES.QuotasInput,
  SessionPatch: RARE_EXAMPLES.SessionPatch,
  SignInInput: RARE_EXAMPLES.SignInInput,
  SignInOptions: RARE_EXAMPLES.SignInOptions,
  SignInStart: RARE_EXAMPLES.SignInStart,
  Evidence: { ...captured.examples.Evidence, ...RARE_EXAMPLES.Evidence },
};
