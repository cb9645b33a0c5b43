import { z } from 'zod';
import { described, named } from '#lib/contracts/named';
import { MAX_PROMPT_CHARS, CACHE_MODES } from '#lib/contracts/values/runs';
import { PROMPT_TUNE_MODES, CANDIDATE_STATES } from '#lib/contracts/values/tunes';
import { Estimate as Comparison } from '#lib/contracts/comparison';
import { Estimate } from '#lib/contracts/estimate';
import { MaxTokens } from '#lib/contracts/max-tokens';
import { noteFields } from '#lib/contracts/note';
import { id, PageQuery } from '#lib/contracts/page';
import { Params } from '#lib/contracts/params';
import { PromptComponents, ToolOverrides } from '#lib/contracts/prompt';
import { RunInput } from '#lib/contracts/run-input';
import {
  PROMPT_TUNE_OUTCOMES,
  TUNE_SETTINGS,
  TUNE_TAIL,
  tuneHead,
  TuneName,
  TuneSubmitted,
} from '#lib/tuning/contract';

const settings = RunInput.shape;
export const MAX_EVALUATIONS = 20_000;
/** The maximum number of components per tune: the meta model gets all components of each candidate. */
export const MAX_TUNED_COMPONENTS = 200;

const META_USAGE = {
  prompt_tokens: z.int().describe('Tokens of the requests.'),
  completion_tokens: z.int().describe('Tokens of the replies.'),
  cost_usd: z.number().nullable().describe('US dollars; null without prices.'),
};

const MetaParams = z
  .strictObject({
    temperature: settings.temperature
      .removeDefault()
      .default(1)
      .describe('Above 0, so that the next text differs from a rejected one.'),
    max_tokens: MaxTokens.default(8192).describe(
      "The maximum number of tokens in a reply; null for no limit but the model's own. A reply holds whole " +
        'texts, `variants` of them in `quick`.',
    ),
    timeout_s: settings.timeout_s,
    params: Params.default({}),
  })
  .prefault({})
  .describe('The settings of requests to the meta model.');

export const PromptTuneInput = z
  .strictObject({
    suite_id: settings.suite_id,
    name: TuneName,
    models: z
      .array(z.string().min(1).max(300))
      .min(1)
      .max(20)
      .describe(
        'The models that the prompts are for: `provider_key::model_id`, or an id that one provider has. The score ' +
          'of a prompt is the mean over all of them.',
      ),
    meta_model: z
      .string()
      .min(1)
      .max(300)
      .describe('The model that writes the texts, named in the same way. It must be able to call tools.'),
    mode: z
      .enum(PROMPT_TUNE_MODES)
      .default('reflective')
      .describe(
        '`quick` has several texts written at once and tries each on all tuning cases. `evolutionary` continues ' +
          'with the best of them, mutated and crossed over, for some generations. `reflective` shows the meta model ' +
          'what went wrong on a few cases, one text at a time, and tries each new text on these before it uses more.',
      ),
    components: z
      .array(z.string().min(1).max(1_000))
      .min(1)
      .max(MAX_TUNED_COMPONENTS)
      .default(['system_prompt', 'tools/*/description'])
      .describe(
        'The texts to write: `system_prompt`, `tools/<name>/description`, ' +
          '`tools/<name>/parameters/<pointer>/description`. `*` stands for every tool, or for every place of its ' +
          `parameters. At most ${MAX_TUNED_COMPONENTS} texts.`,
      ),
    base: z
      .strictObject({
        system_prompt: z
          .string()
          .max(MAX_PROMPT_CHARS)
          .nullable()
          .default(null)
          .describe("Replaces the suite's system prompt; an empty text means none, null the suite's own."),
        tools: ToolOverrides.default({}).describe("Descriptions that replace the suite's, by component."),
      })
      .prefault({})
      .describe('The texts to start with and compare with. They compete like any other.'),
    variants: z.int().min(1).max(50).default(8).describe('Number of texts that `quick` has written.'),
    population: z.int().min(2).max(50).default(6).describe('Number of texts per generation.'),
    generations: z.int().min(1).max(20).default(3).describe('Number of generations.'),
    selection_ratio: z
      .number()
      .min(0.01)
      .max(1)
      .default(0.4)
      .describe('The share of a generation that becomes parents of the next.'),
    minibatch: z.int().min(1).max(50).default(4).describe('Number of cases per reflection.'),
    max_evals: z
      .int()
      .min(1)
      .max(MAX_EVALUATIONS)
      .nullable()
      .default(null)
      .describe(
        'Maximum number of items of a reflective search: cases times samples times models. Finalists and held-out ' +
          'cases are extra. Null: enough for the base and about ten successful steps.',
      ),
    max_growth: z
      .number()
      .min(1)
      .max(20)
      .default(2)
      .describe(
        'Maximum growth of a text as a multiple of the base; 800 characters more are always allowed. The ' +
          'description of a tool or parameter may have 1,024.',
      ),
    holdout: TUNE_SETTINGS.holdout.describe(
      'The share of cases that are held out of the search and of requests to the meta model. At the end they ' +
        'show whether the best text is better. This needs 20 cases; with 0, nothing is held out or confirmed.',
    ),
    seed: TUNE_SETTINGS.seed,
    measure: TUNE_SETTINGS.measure,
    margin: TUNE_SETTINGS.margin,
    samples: TUNE_SETTINGS.samples.describe('Samples per case and text during the search.'),
    temperature: settings.temperature,
    tool_choice: settings.tool_choice,
    max_tokens: settings.max_tokens,
    params: settings.params,
    timeout_s: settings.timeout_s,
    cache: z.enum(CACHE_MODES).default('use').describe('As `cache` of a run. The meta model is always asked.'),
    prompt_cache: settings.prompt_cache,
    budget: settings.budget,
    experiment_id: settings.experiment_id,
    meta_params: MetaParams,
  })
  .meta({ id: 'PromptTuneInput', description: 'A search for the texts that let models call tools best.' });
export type PromptTuneInput = z.infer<typeof PromptTuneInput>;

const CANDIDATE_KINDS = ['base', 'variant', 'mutation', 'crossover', 'reflection', 'merge'] as const;
const share = z.number().nullable();
export const PromptCandidate = named('PromptCandidate', 'A set of texts that a tune tried, with its scores.', {
  candidate: z.int().describe('Its number in the tune; 0 is the base.'),
  kind: z.enum(CANDIDATE_KINDS).describe('How it was made.'),
  iteration: z.int().describe('The last generation or iteration that tried it; 0 for the base.'),
  parents: z.array(z.int()).describe('Its parent candidates.'),
  state: z
    .enum(CANDIDATE_STATES)
    .describe(
      'How far it got. `undecided`: some of its cases errored. `front`: it is best on some case, and ' +
        'may become a parent.',
    ),
  reason: z.string().nullable().describe('Why it was rejected, or could not be judged.'),
  why: z.string().nullable().describe('The changes and their purpose, according to the meta model.'),
  changed: PromptComponents.describe('The texts that differ from its first parent.'),
  length: z.int().describe('Characters of all of its texts.'),
  scores: described('Mean scores, 0..1; null where not measured.', {
    minibatch: share.describe('On the few cases of its reflection.'),
    parent: share.describe('The parent on the same cases.'),
    select: share.describe('On the selection cases. For the best candidate, this is too optimistic.'),
    final: share.describe('On fresh samples of these cases, as a finalist.'),
    holdout: share.describe('On the held-out cases.'),
  }),
  meta: z
    .object({
      eval_id: id.nullable().describe('The run with the request and the reply.'),
      ...META_USAGE,
    })
    .nullable()
    .describe('The request to the meta model that produced it; null for the base and for merges.'),
  runs: z
    .array(
      z.object({
        eval_id: id.describe('The run.'),
        part: z.string().describe('The purpose of the measurement.'),
      }),
    )
    .describe('The runs that measured it.'),
});
export type PromptCandidate = z.infer<typeof PromptCandidate>;

export const PromptCandidateDetails = PromptCandidate.extend({
  texts: PromptComponents.describe('All of its texts.'),
  per_case: z
    .array(z.tuple([z.int(), z.number()]))
    .describe(
      'Its scores on the selection cases: the position of each in the suite version, and the mean. ' +
        'Empty where there are more than 5,000.',
    ),
}).meta({ id: 'PromptCandidateDetails', description: 'A candidate with its texts and its score for each case.' });
export type PromptCandidateDetails = z.infer<typeof PromptCandidateDetails>;

export const PromptTune = named('PromptTune', 'A search for prompts and its results.', {
  ...tuneHead(PromptTuneInput),
  targets: z.array(z.string()).describe('The models, as `provider_key::model_id`.'),
  meta_target: z.string().describe('The meta model, named in the same way.'),
  cases: described('How the cases were divided.', {
    tuning: z.int().describe('Cases that are used to write and choose texts.'),
    reflect: z.int().describe('Cases that the meta model may see.'),
    select: z.int().describe('Cases that are used to choose texts. Below 60 cases, these are the same.'),
    holdout: z.int().describe('Cases that confirm the choice.'),
  }),
  base: PromptComponents.describe('The texts that it started with. Empty in a list.'),
  planned_requests: z.int().describe('Planned number of requests.'),
  evaluations: z.int().describe('Items that the search has measured.'),
  candidates: z.int().describe('Number of candidates so far, including the base.'),
  front: z.array(z.int()).describe('The candidates that are best on some case.'),
  best: z.int().nullable().describe('The best candidate; null until it is known.'),
  texts: PromptComponents.nullable().describe(
    'The texts of the best candidate; null until it is known, and in a list.',
  ),
  holdout: Comparison.nullable().describe('It against the base, on the held-out cases.'),
  outcome: z
    .enum(PROMPT_TUNE_OUTCOMES)
    .nullable()
    .describe(
      '`confirmed`: better than the base on the held-out cases. `not_confirmed`: not shown to be, or no text did ' +
        'better than the base. `worse`: shown to be worse. `unconfirmed`: nothing was held out, or it stopped.',
    ),
  text: z.string().nullable().describe('The outcome in a sentence.'),
  prompt_version_id: id.nullable().describe('The prompt version with the best texts.'),
  promoted_eval_id: id.nullable().describe('Its run in the experiment; null for none.'),
  meta: described('The usage of the meta model.', {
    requests: z.int().describe('Number of answered requests.'),
    ...META_USAGE,
  }),
  ...TUNE_TAIL,
});
export type PromptTune = z.infer<typeof PromptTune>;

export const PromptTuneEstimate = Estimate.extend({
  components: z.array(z.string()).describe('The components to write.'),
  meta: z
    .object({
      requests: z.int().describe('Approximate number of requests.'),
      ...META_USAGE,
    })
    .describe('The expected usage of the meta model. It is included in the totals, and is not one of the `targets`.'),
  ...noteFields('Notes to consider before submitting.'),
}).meta({ id: 'PromptTuneEstimate', description: 'The expected usage of a tune.' });
export type PromptTuneEstimate = z.infer<typeof PromptTuneEstimate>;

export const CandidatesQuery = z.strictObject({
  ...PageQuery.shape,
  state: z.enum(CANDIDATE_STATES).optional().meta({ description: 'Only candidates in this state.', example: 'front' }),
});
export type CandidatesQuery = z.infer<typeof CandidatesQuery>;

export const CandidateDiffQuery = z.strictObject({
  to: z.coerce.number().int().min(0).max(999_999).optional().meta({
    description: 'The candidate to compare with; by default its first parent.',
    example: 0,
  }),
});
export type CandidateDiffQuery = z.infer<typeof CandidateDiffQuery>;

export const PromptTuneSubmitted = TuneSubmitted.meta({
  id: 'PromptTuneSubmitted',
  description: 'A tune that was accepted. It continues in the background.',
});
export type PromptTuneSubmitted = z.infer<typeof PromptTuneSubmitted>;
