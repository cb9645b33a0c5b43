import { z } from 'zod';
import { named } from './named.js';
import { waitField } from './comparing.js';
import { Change } from './comparison.js';
import { id, time } from './page.js';
import { Suite } from './suite.js';

/** Lists of changes are cut at this length; their counts are not. */
export const MAX_LISTED_CHANGES = 200;

export const VersionNumber = z.coerce.number().int().min(1).max(2_147_483_647);

export const SuiteVersionHead = z
  .object({
    version: z.int().describe('The version of the suite.'),
    pinned_at: time.nullable().describe('When a run pinned it first; null while none has.'),
    runs: z.int().describe('How many runs of the history have this version.'),
    is_current: z.boolean().describe('Whether the suite has this version now.'),
  })
  .meta({ id: 'SuiteVersionHead', description: 'A version of a suite that runs pinned, or the current one.' });
export type SuiteVersionHead = z.infer<typeof SuiteVersionHead>;

export const SuiteVersion = SuiteVersionHead.extend({
  suite_id: id.describe('The suite.'),
  ...Suite.pick({
    name: true,
    description: true,
    system_prompt: true,
    tools: true,
    pass_threshold: true,
    conversation: true,
    test_cases_count: true,
  }).shape,
}).meta({ id: 'SuiteVersion', description: 'A suite as it was in one version, without its cases.' });
export type SuiteVersion = z.infer<typeof SuiteVersion>;

const names = (what: string) => z.array(z.string()).describe(`Names of the tools that ${what}`);
export const ToolChanges = z.object({
  added: names('only the later version has.'),
  removed: names('only the earlier version has.'),
  changed: names('both have, with differences.'),
});
export type ToolChanges = z.infer<typeof ToolChanges>;

export const ChangedCase = z.object({
  kind: z.enum(['added', 'removed', 'changed']).describe('What happened to the case.'),
  case_id: id.describe('The id of the case.'),
  name: z.string().nullable().describe('Its name, in the later version that has it; null for none.'),
  prompt: z
    .string()
    .nullable()
    .describe('Its prompt there, cut after 200 characters; null when it has a conversation instead.'),
  fields: z
    .array(z.string())
    .describe(
      'The fields of a changed case that differ. Empty when only their order differs, and for cases ' +
        'that were added or removed.',
    ),
});
export type ChangedCase = z.infer<typeof ChangedCase>;

const count = (what: string) => z.int().describe(`How many cases ${what}`);
export const CaseChanges = z.object({
  added: count('only the later version has.'),
  removed: count('only the earlier version has.'),
  changed: count('both have, with differences.'),
  items: z.array(ChangedCase).describe(`Those cases, by kind and position: at most ${MAX_LISTED_CHANGES}.`),
});
export type CaseChanges = z.infer<typeof CaseChanges>;

export const SuiteChanges = named('SuiteChanges', 'What changed between two versions of a suite.', {
  from: z.int().describe('The version of the path.'),
  to: z.int().describe('The version that it is compared with.'),
  settings: z
    .array(
      Change.extend({
        path: z.string().describe('The setting, as a JSON pointer into the suite, with tools by name.'),
        a: z.unknown().describe('Its value in `from`; null when it has none.'),
        b: z.unknown().describe('Its value in `to`; null when it has none.'),
      }),
    )
    .describe(
      `Settings that differ, and fields of tools that both have: at most ${MAX_LISTED_CHANGES}. Long values are ` +
        'cut to where they begin to differ.',
    ),
  tools: ToolChanges.describe('Tools that differ.'),
  cases: CaseChanges.describe('Cases that differ. Their position in the suite does not count.'),
});
export type SuiteChanges = z.infer<typeof SuiteChanges>;

export const ChangesQuery = z.strictObject({
  ...waitField,
  to: VersionNumber.optional().meta({
    description: 'The version to compare with. Defaults to the current one.',
    example: 3,
  }),
});
export type ChangesQuery = z.infer<typeof ChangesQuery>;
