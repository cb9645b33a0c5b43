import { z } from 'zod';
import { Case, CaseInput } from './case.js';
import { isObject } from './json.js';
import { id, time } from './page.js';
import { listOfTools, Tool } from './tool.js';

export const MAX_CASES_PER_IMPORT = 10_000;
/**
 * A suite may grow to so many cases, and so many bytes: its tools, description and system prompt and the JSON of its cases, in
 * UTF-8. Whatever reads, pins or checks one is bounded by it.
 */
export const LARGEST_SUITE = { cases: 100_000, bytes: 256 * 2 ** 20 };
/** What one import may make, in bytes of its cases' JSON: a file may say much with few words (aliases, variables, long dialogues). */
export const LARGEST_IMPORT_BYTES = 64 * 2 ** 20;
const name = z.string().trim().min(1).max(200);
const Tools = listOfTools(Tool);
const settings = {
  name,
  description: z.string().max(10_000).default(''),
  system_prompt: z.string().max(50_000).nullable().default(null),
  tools: Tools,
  pass_threshold: z.number().min(0).max(1).default(1),
};
/** A new suite. */
export const SuiteInput = z.strictObject(settings).meta({ id: 'SuiteInput' });
export type SuiteInput = z.infer<typeof SuiteInput>;

export const SuitePatch = z
  .strictObject({
    name: name.optional(),
    description: z.string().max(10_000).optional(),
    system_prompt: z.string().max(50_000).nullable().optional(),
    tools: Tools.optional(),
    pass_threshold: z.number().min(0).max(1).optional(),
  })
  .meta({ id: 'SuitePatch' });
export type SuitePatch = z.infer<typeof SuitePatch>;

/** A suite anew; its cases stay as they are. Of the other settings those that are left out stay as they are, too, and null takes them away. */
export const SuiteReplacement = z
  .strictObject({
    name,
    tools: Tools,
    description: z.string().max(10_000).nullish().transform((text) => (text === null ? '' : text)).meta({ description: 'Left out, it stays as it is; null takes it away' }),
    system_prompt: z.string().max(50_000).nullish().meta({ description: 'Left out, it stays as it is; null takes it away' }),
    pass_threshold: z.number().min(0).max(1).nullish().transform((threshold) => (threshold === null ? 1 : threshold)).meta({ description: 'Left out, it stays as it is; null makes it 1' }),
  })
  .meta({ id: 'SuiteReplacement' });
export type SuiteReplacement = z.infer<typeof SuiteReplacement>;

/** A suite in a file: what import takes and export gives. */
export const SuiteFile = z
  .strictObject({ ...settings, test_cases: z.array(CaseInput).max(MAX_CASES_PER_IMPORT).default([]) })
  .meta({ id: 'SuiteFile' });
export type SuiteFile = z.infer<typeof SuiteFile>;
/** What a suite is besides its cases. */
export type SuiteSettings = Omit<SuiteFile, 'test_cases'>;

const CaseList = z.array(CaseInput).min(1).max(MAX_CASES_PER_IMPORT);
const WrappedCaseList = z.strictObject({ cases: CaseList });
const documented = (schema: object) => ({ ...schema, maxItems: MAX_CASES_PER_IMPORT, minItems: 1 });
const caseRef = { $ref: '#/components/schemas/CaseInput' };

/** One case, a list, or `{cases: [...]}`. No union: which one is meant is plain, and so its faults can be named. */
export const CasesInput = z
  .unknown()
  .transform((body, context): CaseInput | CaseInput[] | { cases: CaseInput[] } => {
    const meant = Array.isArray(body) ? CaseList : isObject(body) && 'cases' in body ? WrappedCaseList : CaseInput;
    const parsed = meant.safeParse(body);
    if (parsed.success) return parsed.data;
    context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
    return z.NEVER;
  })
  .meta({
    oneOf: [caseRef, documented({ type: 'array', items: caseRef }), { type: 'object', required: ['cases'], properties: { cases: documented({ type: 'array', items: caseRef }) } }],
  });

export const Suite = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    system_prompt: z.string().nullable(),
    tools: z.array(Tool),
    pass_threshold: z.number(),
    version: z.int(),
    test_cases_count: z.int(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Suite' });
export type Suite = z.infer<typeof Suite>;

export const SuiteReadQuery = z.strictObject({
  cases: z.enum(['true', 'false']).default('true').transform((text) => text === 'true').meta({ description: 'With "false" the answer has no `test_cases`' }),
});
export type SuiteReadQuery = z.infer<typeof SuiteReadQuery>;

export const SuiteWithCases = Suite.extend({ test_cases: z.array(Case).optional().meta({ description: 'Left out with `?cases=false`' }) }).meta({ id: 'SuiteWithCases' });

const warnings = z.array(z.string()).meta({ description: 'What was converted, and expected arguments that no call can have which obeys its tool: 20 of them are named at most' });
/** What writing answers, beside what was written. */
export const SuiteWritten = Suite.extend({ warnings }).meta({ id: 'SuiteWritten' });
export const CaseWritten = Case.extend({ warnings }).meta({ id: 'CaseWritten' });
/** What adding cases answers: the one, or the list. */
export const CasesWritten = z.union([CaseWritten, z.object({ items: z.array(Case), warnings })]);
