import { z } from 'zod';
import { described, named, namedInput } from './named.js';
import { id, PageQuery, suiteId, time } from './page.js';
import { PromptComponents } from './prompt.js';
import { RunAgainst } from './run.js';

/** The maximum number of prompt versions of a suite. */
export const MAX_PROMPT_VERSIONS = 1_000;
/** Runs of a version are counted up to this number. */
export const MAX_RUNS_COUNTED = 1_000;
const MAX_TAGS = 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const Tag = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,49}$/,
    'must be 1 to 50 of a-z, 0-9, ".", "_" and "-", the first of them a letter or a digit',
  )
  .refine((tag) => !UUID.test(tag), 'must not look like an id')
  .describe('A name for a version, such as `production`.');
const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)])
  .describe(
    'Names for the version. Each belongs to one version of a suite at a time: giving it to another moves it there.',
  );
const label = z.string().trim().max(200).describe('The display name of the version; may be empty.');

const PROMPT_SOURCES = ['manual', 'prompt_tune', 'import'] as const;
export type PromptSource = (typeof PROMPT_SOURCES)[number];

const Origin = z.object({
  tune_id: id.describe('The tune that wrote it.'),
  candidate: z.int().describe('The candidate of the tune.'),
});
/** The origin of a version written by a prompt tune. */
export type PromptOrigin = z.infer<typeof Origin>;

export const PromptVersionInput = namedInput('PromptVersionInput', 'Texts to store as a version.', {
  suite_id: suiteId.describe('The suite whose texts they replace.'),
  components: PromptComponents.refine((texts) => Object.keys(texts).length > 0, 'must have at least one text').describe(
    'The texts, by place: those that differ from the suite, or all.',
  ),
  label: label.default(''),
  tags: Tags.default([]),
  parent_id: id.nullable().default(null).describe('The version that it was made from; null for none.'),
});
export type PromptVersionInput = z.infer<typeof PromptVersionInput>;

export const PromptVersionPatch = z
  .strictObject({ label: label.optional(), tags: Tags.optional() })
  .refine((patch) => Object.keys(patch).length > 0, {
    message: 'must have at least one of label and tags',
    when: ({ issues }) => issues.length === 0,
  })
  .meta({
    id: 'PromptVersionPatch',
    description: 'What to change. Fields that are left out stay; texts never change: make another version.',
  });
export type PromptVersionPatch = z.infer<typeof PromptVersionPatch>;

export const PromptVersionHead = named('PromptVersionHead', 'A prompt version in a list, without its texts.', {
  id: id.describe('The id of the version: `prompt_version_id` of runs.'),
  suite_id: id.nullable().describe('The suite; null when it was deleted.'),
  label: z.string().describe('The display name; may be empty.'),
  tags: z.array(z.string()).describe('Its tags.'),
  source: z.enum(PROMPT_SOURCES).describe('Who wrote the texts: a person (`manual`), a tune of prompts, or a file.'),
  parent_id: id.nullable().describe('The version that it was made from; null for none.'),
  origin: Origin.nullable().describe('The tune that wrote it, and the candidate; null for none.'),
  components_count: z.int().describe('How many texts it has.'),
  created_by: z.string().nullable().describe('The name of its user; null when the user is gone.'),
  created_at: time.describe('When it was made.'),
  used: described('The runs with its texts.', {
    runs: z.int().describe(`How many runs of the history have its texts; ${MAX_RUNS_COUNTED} also means more.`),
    newest: z
      .object({
        run: described('The run.', {
          id: id.describe('Its id.'),
          name: z.string().nullable().describe('Its name.'),
        }),
        suite_version: z.int().describe('The version of the suite that it pinned.'),
        score: z.number().describe('Its score, 0..1.'),
        n_models: z.int().describe('How many models it asked.'),
        finished_at: time.nullable().describe('When it ended.'),
        against: RunAgainst.nullable().describe('What it changed, as `against` of the run.'),
      })
      .nullable()
      .describe('The newest completed run that has a score; null without one.'),
  }),
});
export type PromptVersionHead = z.infer<typeof PromptVersionHead>;

export const PromptVersion = PromptVersionHead.extend({
  components: PromptComponents.describe('The texts, by place. They replace those of the suite.'),
}).meta({
  id: 'PromptVersion',
  description: 'Texts that models read instead of those of a suite. They never change.',
});
export type PromptVersion = z.infer<typeof PromptVersion>;

export const PromptVersionsQuery = z.strictObject({
  ...PageQuery.shape,
  suite_id: id
    .optional()
    .meta({ description: 'Only versions of this suite.', example: '019aa8a2-5c1e-7000-8000-000000000011' }),
  tag: z.string().max(50).optional().meta({ description: 'Only versions with this tag.', example: 'production' }),
});
export type PromptVersionsQuery = z.infer<typeof PromptVersionsQuery>;

/** Refers to the current suite where a version is expected. */
export const CURRENT_SUITE = 'suite';

export const PromptDiffQuery = z.strictObject({
  to: z
    .string()
    .max(100)
    .optional()
    .meta({
      description:
        'What to compare with: the id of another version of the suite, or `suite` for the current suite. If ' +
        'left out, the version that this one was made from, or the suite when it was made from none.',
      example: CURRENT_SUITE,
    }),
});
export type PromptDiffQuery = z.infer<typeof PromptDiffQuery>;

export const TextHunk = named('TextHunk', 'A part of the difference between two texts.', {
  op: z.enum(['same', 'removed', 'added']).describe('Whether the text is unchanged, removed or added.'),
  text: z.string().describe('The text, including its spaces.'),
});
export type TextHunk = z.infer<typeof TextHunk>;

export const ComponentDiff = named('ComponentDiff', 'A text that differs.', {
  component: z.string().describe('The place of the text.'),
  from: z.string().describe('The text of this version, or of the suite where it has none.'),
  to: z.string().describe('The text on the other side.'),
  hunks: z
    .array(TextHunk)
    .describe('The differences, word by word. Texts with little in common are replaced as a whole.'),
});
export type ComponentDiff = z.infer<typeof ComponentDiff>;

export const PromptDiff = z
  .object({
    from: z.string().describe('The id of the requested version, or the number of the requested candidate.'),
    to: z.string().describe('The id of the version that it is compared with, or `suite`.'),
    components: z.array(ComponentDiff).describe('The texts that differ, by place.'),
  })
  .meta({ id: 'PromptDiff', description: 'What would change from a version to another one, or to the current suite.' });
export type PromptDiff = z.infer<typeof PromptDiff>;
