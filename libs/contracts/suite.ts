import { z } from 'zod';
import { described, named, namedInput } from './named.js';
import { Case, CaseInput } from './case.js';
import { ConversationDefaults } from './conversation.js';
import { isObject } from './json/json.js';
import { JobStatus } from './job-status.js';
import { markFilters } from './kept.js';
import { flag, id, PageQuery, searched, time } from './page.js';
import { RunAgainst, RunTop } from './run.js';
import { GroupSummary } from './summary.js';
import { toolList, Tool } from './tool.js';

export const MAX_CASES_PER_IMPORT = 10_000;
/**
 * The maximum cases and bytes of a suite. Bytes are those of its tools, description, system prompt and the JSON of its
 * cases in UTF-8. This bounds everything that reads, pins or checks a suite.
 */
export const MAX_SUITE = { cases: 100_000, bytes: 256 * 2 ** 20 };
/**
 * The maximum size of one import, in bytes of its cases' JSON. A small file can expand to much more (aliases,
 * variables, long dialogues).
 */
export const MAX_IMPORT_BYTES = 64 * 2 ** 20;
const name = z.string().trim().min(1).max(200);
const Tools = toolList(Tool);
const settings = {
  name: name.describe('The name of the suite.'),
  description: z.string().max(10_000).default('').describe('What the suite is about.'),
  system_prompt: z
    .string()
    .max(50_000)
    .nullable()
    .default(null)
    .describe('Precedes the prompt of every case; null for none.'),
  tools: Tools.describe(
    'The tools that models are offered, at most 1 MiB of JSON together. Names must differ in more than case.',
  ),
  pass_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('The overall score from which a case passes. Conversations pass by their goal alone.'),
  conversation: ConversationDefaults.nullish()
    .describe('What the conversations of the suite have in common: a state, rules of tools. Null for nothing.')
    .meta({
      example: {
        state: { orders: { '17': { status: 'packed' } } },
        tools: {
          cancel_order: [{ effects: [{ op: 'replace', path: '/orders/{order_id}/status', value: 'cancelled' }] }],
        },
      },
    }),
};
export const SuiteInput = z.strictObject(settings).meta({ id: 'SuiteInput', description: 'A new suite.' });
export type SuiteInput = z.infer<typeof SuiteInput>;

export const SuitePatch = namedInput('SuitePatch', 'The fields of a suite to change. Fields that are left out stay.', {
  name: name.optional().describe('The name of the suite.'),
  description: z.string().max(10_000).optional().describe('What the suite is about.'),
  system_prompt: z
    .string()
    .max(50_000)
    .nullable()
    .optional()
    .describe('Precedes the prompt of every case; null for none.'),
  tools: Tools.optional().describe('The whole list of tools. You cannot remove a tool that a case expects.'),
  pass_threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('The overall score from which a case passes, in new runs.'),
  conversation: ConversationDefaults.nullable()
    .optional()
    .describe('What the conversations of the suite have in common: a state, rules of tools. Null for nothing.')
    .meta({
      example: {
        state: { orders: { '17': { status: 'packed' } } },
        tools: {
          cancel_order: [{ effects: [{ op: 'replace', path: '/orders/{order_id}/status', value: 'cancelled' }] }],
        },
      },
    }),
});
export type SuitePatch = z.infer<typeof SuitePatch>;

export const SuiteReplacement = z
  .strictObject({
    name: settings.name,
    tools: Tools.describe('The whole list of tools. You cannot remove a tool that a case expects.'),
    description: z
      .string()
      .max(10_000)
      .nullish()
      .transform((text) => (text === null ? '' : text))
      .describe('What the suite is about. If left out, it stays; null removes it.'),
    system_prompt: z
      .string()
      .max(50_000)
      .nullish()
      .describe('Precedes the prompt of every case. If left out, it stays; null removes it.'),
    pass_threshold: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .transform((threshold) => (threshold === null ? 1 : threshold))
      .describe('The overall score from which a case passes. If left out, it stays; null sets it to 1.'),
    conversation: ConversationDefaults.nullish()
      .describe('What the conversations of the suite have in common. If left out, it stays; null removes it.')
      .meta({
        example: {
          state: { orders: { '17': { status: 'packed' } } },
          tools: {
            cancel_order: [{ effects: [{ op: 'replace', path: '/orders/{order_id}/status', value: 'cancelled' }] }],
          },
        },
      }),
  })
  .meta({
    id: 'SuiteReplacement',
    description: 'Replaces a suite. Its cases stay, and so do the settings that are left out.',
  });
export type SuiteReplacement = z.infer<typeof SuiteReplacement>;

export const SuiteFile = namedInput('SuiteFile', 'A suite in a file, as import takes it and export writes it.', {
  ...settings,
  test_cases: z.array(CaseInput).max(MAX_CASES_PER_IMPORT).default([]).describe('The cases of the suite.'),
});
export type SuiteFile = z.infer<typeof SuiteFile>;
/** Everything in a suite except its cases. */
export type SuiteSettings = Omit<SuiteFile, 'test_cases'>;

const CaseList = z.array(CaseInput).min(1).max(MAX_CASES_PER_IMPORT);
const WrappedCaseList = z.strictObject({ cases: CaseList });
const documented = (schema: object) => ({ ...schema, maxItems: MAX_CASES_PER_IMPORT, minItems: 1 });
const caseRef = { $ref: '#/components/schemas/CaseInput' };

/**
 * One case, a list, or `{cases: [...]}`. Not a zod union: the body's shape shows which one is meant, so that errors
 * can name the exact fields.
 */
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
    id: 'CasesInput',
    description: 'One case, a list, or `{"cases": [...]}`.',
    oneOf: [
      caseRef,
      documented({ type: 'array', items: caseRef, description: 'Several cases. Either all are added or none.' }),
      {
        type: 'object',
        required: ['cases'],
        properties: {
          cases: documented({
            type: 'array',
            items: caseRef,
            description: 'Several cases. Either all are added or none.',
          }),
        },
      },
    ],
  });

export const Suite = named('Suite', 'Tools, and cases for models that have them.', {
  id: id.describe('The id of the suite: `suite_id` of runs and experiments.'),
  name: z.string().describe('The name of the suite.'),
  description: z.string().describe('What the suite is about; empty when it has no description.'),
  system_prompt: z.string().nullable().describe('Precedes the prompt of every case; null for none.'),
  tools: z.array(Tool).describe('The tools that models are offered.'),
  pass_threshold: z.number().describe('The overall score from which a case passes, 0..1.'),
  conversation: ConversationDefaults.nullable()
    .describe('What the conversations of the suite have in common: a state, rules of tools. Null for nothing.')
    .meta({
      example: {
        state: { orders: { '17': { status: 'packed' } } },
        tools: {
          cancel_order: [{ effects: [{ op: 'replace', path: '/orders/{order_id}/status', value: 'cancelled' }] }],
        },
      },
    }),
  version: z
    .int()
    .describe(
      'The version of the suite. It rises by one with every request that changes the suite. A run ' +
        'keeps the version that it started with.',
    ),
  test_cases_count: z.int().describe('How many cases the suite has, including drafts.'),
  mcp_url: z.string().nullable().describe('The MCP server that its tools came from; null for none.'),
  created_at: time.describe('When the suite was created.'),
  updated_at: time.describe('When it was last changed.'),
});
export type Suite = z.infer<typeof Suite>;

const LastRun = z.object({
  id: id.describe('The id of the run.'),
  status: JobStatus.describe('Its status.'),
  created_at: time.describe('When it was submitted.'),
  finished_at: time.nullable().describe('When it ended; null until then.'),
  top: z
    .object({
      target: z.string().describe('The model, as `provider_key::model_id`.'),
      ...GroupSummary.pick({ overall: true, overall_ci: true, scored: true, errored: true }).shape,
    })
    .nullable()
    .describe('The model with the highest overall score; null while none has its final figures.'),
  best: RunTop.nullable().describe('The best model or models, as `top` of the run.'),
  counts: z
    .object({ total: z.int().describe('All results.'), settled: z.int().describe('Those that are in.') })
    .describe('How far the run is.'),
  against: RunAgainst.nullable().describe('What the run changed, as `against` of the run.'),
});

export const SuiteHead = Suite.omit({ tools: true, system_prompt: true, conversation: true, mcp_url: true })
  .extend({
    tools_count: z.int().describe('How many tools the suite has.'),
    last_run: LastRun.nullable().describe('The newest run of the history; null when there is none.'),
  })
  .meta({ id: 'SuiteHead', description: 'A suite in a list, without its tools and its system prompt.' });
export type SuiteHead = z.infer<typeof SuiteHead>;

export const SuitesQuery = z.strictObject({
  ...PageQuery.shape,
  lean: flag.describe('Leaves out tools and system prompts, and adds the number of tools and the last run.'),
  name: searched.meta({
    description: 'Lists only suites whose name contains this text, ignoring case.',
    example: 'weather',
  }),
  ...markFilters,
});
export type SuitesQuery = z.infer<typeof SuitesQuery>;

export const CasesQuery = z.strictObject({
  ...PageQuery.shape,
  text: searched.meta({
    description:
      'Lists only cases that contain this text, ignoring case, in their name, prompt, messages, expected ' +
      'tools, category or tags. A request looks through at most 10,000 cases and 16 MiB: a page may have fewer ' +
      'entries than `limit`, or none, and still a `next_cursor`.',
    example: 'Paris',
  }),
  tag: z.string().min(1).max(100).optional().meta({ description: 'Lists only cases with this tag.', example: 'smoke' }),
  category: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Lists only cases of this category.', example: 'booking' }),
  failed: flag.meta({
    description:
      'With `true`, lists only cases that a model did not pass in the newest run of the suite that is counted, in a ' +
      'sample at least. Errored results do not count.',
    example: 'true',
  }),
  verdicts: flag.meta({
    description: 'With `true`, each case has `last_run`: how the models did on it in that run.',
    example: 'true',
  }),
});
export type CasesQuery = z.infer<typeof CasesQuery>;

const LastVerdicts = described('How the models of a run did on a case.', {
  run_id: id.meta({
    description: 'The run: the newest of the suite that has ended and is counted.',
    example: '019aa8a2-5c1e-7000-8000-000000000031',
  }),
  models: z
    .array(
      described('One model.', {
        target: z
          .string()
          .meta({ description: 'The model, as `provider_key::model_id`.', example: 'simulator::perfect-ish' }),
        passed: z.int().meta({ description: 'How many samples passed.', example: 2 }),
        scored: z.int().meta({ description: 'How many samples have a score.', example: 3 }),
        errored: z.int().meta({ description: 'How many samples have none, because the provider failed.', example: 0 }),
      }),
    )
    .describe('The models in the order of the run.'),
});
export const ListedCase = Case.extend({
  last_run: LastVerdicts.nullable()
    .optional()
    .describe('With `verdicts=true`: the newest counted run of the suite; null if it did not have the case.'),
}).meta({ id: 'ListedCase', description: 'A case of a list, with what models made of it if it was asked for.' });
export type ListedCase = z.infer<typeof ListedCase>;

const labelCounts = z.array(
  described('A label.', {
    name: z.string().meta({ description: 'The label.', example: 'booking' }),
    cases: z.int().meta({ description: 'How many cases have it.', example: 12 }),
  }),
);
export const CaseLabels = named('CaseLabels', 'The labels of the cases of a suite, the most frequent first.', {
  categories: labelCounts.describe('Up to 200 categories.'),
  tags: labelCounts.describe('Up to 200 tags.'),
});
export type CaseLabels = z.infer<typeof CaseLabels>;

export const SuiteReadQuery = z.strictObject({
  cases: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('With `false`, the response has no `test_cases`.'),
});
export type SuiteReadQuery = z.infer<typeof SuiteReadQuery>;

export const SuiteWithCases = Suite.extend({
  test_cases: z.array(Case).optional().describe('The cases by position; left out with `?cases=false`.'),
}).meta({ id: 'SuiteWithCases', description: 'A suite with its cases.' });

const warnings = z
  .array(z.string())
  .describe(
    'Tools that were converted, and expected arguments that break the schema of their tool, so ' +
      'that no valid call can have them. At most 20 of those are named. Of conversations: rules that never answer, ' +
      'tools that may have no answer, and goals that hold at the start or that their own calls do not reach.',
  );
export const SuiteWritten = Suite.extend({ warnings }).meta({
  id: 'SuiteWritten',
  description: 'A stored suite, with warnings for its author.',
});
export const CaseWritten = Case.extend({ warnings }).meta({
  id: 'CaseWritten',
  description: 'A stored case, with warnings for its author.',
});
export const CasesWritten = z
  .union([
    CaseWritten,
    z.object({
      items: z.array(Case).describe('The added cases, in the order of the request.'),
      warnings,
    }),
  ])
  .meta({ id: 'CasesWritten', description: 'The added case, or the list of cases.' });
