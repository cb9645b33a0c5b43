import { z } from 'zod';
import { waitField } from './comparing.js';
import { Change } from './comparison.js';
import { id, time } from './page.js';
import { Suite } from './suite.js';

/** Lists of changes are cut at this length; their counts are not. */
export const MAX_LISTED_CHANGES = 200;

export const VersionNumber = z.coerce.number().int().min(1).max(2_147_483_647);

export const SuiteVersionHead = z
  .object({
    version: z.int().meta({ description: 'The version of the suite.' }),
    pinned_at: time.nullable().meta({ description: 'When a run pinned it first; null while none has.' }),
    runs: z.int().meta({ description: 'How many runs of the history have this version.' }),
    is_current: z.boolean().meta({ description: 'Whether the suite has this version now.' }),
  })
  .meta({ id: 'SuiteVersionHead', description: 'A version of a suite that runs pinned, or the current one.' });
export type SuiteVersionHead = z.infer<typeof SuiteVersionHead>;

export const SuiteVersion = SuiteVersionHead.extend({
  suite_id: id.meta({ description: 'The suite.' }),
  ...Suite.pick({
    name: true,
    description: true,
    system_prompt: true,
    tools: true,
    pass_threshold: true,
    test_cases_count: true,
  }).shape,
}).meta({ id: 'SuiteVersion', description: 'A suite as it was in one version, without its cases.' });
export type SuiteVersion = z.infer<typeof SuiteVersion>;

const names = (what: string) => z.array(z.string()).meta({ description: `Names of the tools that ${what}` });
export const ToolChanges = z.object({
  added: names('only the later version has.'),
  removed: names('only the earlier version has.'),
  changed: names('both have, with differences.'),
});
export type ToolChanges = z.infer<typeof ToolChanges>;

export const ChangedCase = z.object({
  kind: z.enum(['added', 'removed', 'changed']).meta({ description: 'What happened to the case.' }),
  case_id: id.meta({ description: 'The id of the case.' }),
  name: z.string().nullable().meta({ description: 'Its name, in the later version that has it; null for none.' }),
  prompt: z.string().nullable().meta({
    description: 'Its prompt there, cut after 200 characters; null when it has a conversation instead.',
  }),
  fields: z.array(z.string()).meta({
    description:
      'The fields of a changed case that differ. Empty when only their order differs, and for cases ' +
      'that were added or removed.',
  }),
});
export type ChangedCase = z.infer<typeof ChangedCase>;

const count = (what: string) => z.int().meta({ description: `How many cases ${what}` });
export const CaseChanges = z.object({
  added: count('only the later version has.'),
  removed: count('only the earlier version has.'),
  changed: count('both have, with differences.'),
  items: z.array(ChangedCase).meta({
    description: `Those cases, by kind and position: at most ${MAX_LISTED_CHANGES}.`,
  }),
});
export type CaseChanges = z.infer<typeof CaseChanges>;

export const SuiteChanges = z
  .object({
    from: z.int().meta({ description: 'The version of the path.' }),
    to: z.int().meta({ description: 'The version that it is compared with.' }),
    settings: z
      .array(
        Change.extend({
          path: z.string().meta({ description: 'The setting, as a JSON pointer into the suite, with tools by name.' }),
          a: z.unknown().meta({ description: 'Its value in `from`; null when it has none.' }),
          b: z.unknown().meta({ description: 'Its value in `to`; null when it has none.' }),
        }),
      )
      .meta({
        description:
          `Settings that differ, and fields of tools that both have: at most ${MAX_LISTED_CHANGES}. Long values are ` +
          'cut to where they begin to differ.',
      }),
    tools: ToolChanges.meta({ description: 'Tools that differ.' }),
    cases: CaseChanges.meta({ description: 'Cases that differ. Their position in the suite does not count.' }),
  })
  .meta({ id: 'SuiteChanges', description: 'What changed between two versions of a suite.' });
export type SuiteChanges = z.infer<typeof SuiteChanges>;

export const ChangesQuery = z.strictObject({
  ...waitField,
  to: VersionNumber.optional().meta({
    description: 'The version to compare with. Defaults to the current one.',
    example: 3,
  }),
});
export type ChangesQuery = z.infer<typeof ChangesQuery>;
