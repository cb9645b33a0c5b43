import { noteFields } from '#lib/contracts/note';
import { z } from 'zod';
import { described, named } from '#lib/contracts/named';
import { JobStatus } from '#lib/contracts/job-status';
import { below, judgeName } from '#lib/contracts/judge-of-run';
import { MaxTokens } from '#lib/contracts/max-tokens';
import { id, time } from '#lib/contracts/page';
import { Params } from '#lib/contracts/params';
import { RunInput } from '#lib/contracts/run-input';
import {
  LABELS,
  OPINIONS,
  PREFERENCES,
  AGREEMENTS,
  JUDGED_RESULTS,
  JUDGEMENT_STATES,
  MAX_INSTRUCTIONS_CHARS,
} from '#lib/contracts/values/judging';

const settings = RunInput.shape;

/** Maximum number of results per report. */
export const MAX_JUDGED = 20_000;
/** Above this share of cases whose verdict flipped with the order of the two replies, a judge cannot rank two runs. */
export const MAX_FLIP_SHARE = 0.2;
/** The number of labels required to calibrate a judge, and how many of them must be of the rarer kind. */
export const MIN_LABELS = { all: 50, rarer: 15, asked: 100 } as const;

const Instructions = z
  .string()
  .trim()
  .max(MAX_INSTRUCTIONS_CHARS)
  .describe('What the judge should consider in this suite, in addition to the rules for every judge; may be empty.');

export const JudgeInput = z
  .strictObject({
    eval_id: id.optional().describe('The run to judge. Omit it to compare two runs.'),
    a: id.optional().describe('The baseline of a comparison.'),
    b: id.optional().describe('The run to compare with it.'),
    judge: judgeName.optional().describe(`${judgeName.meta()!.description} The default judge of the team if omitted.`),
    which: z
      .enum(JUDGED_RESULTS)
      .default('failed')
      .describe(
        'Which scored results to judge: those that did not pass (`failed`), all, or some drawn at random ' +
          '(`sample`), which represent all. Not for comparisons, which judge every case in common.',
      ),
    sample_size: z
      .int()
      .min(1)
      .max(MAX_JUDGED)
      .default(100)
      .describe('Number of results that `sample` draws, or maximum number of cases of a comparison.'),
    below: below
      .default(1)
      .describe('With `failed`: only results whose overall score is below this. 1 means every failed result.'),
    samples: z
      .int()
      .min(1)
      .max(9)
      .default(1)
      .describe('How often each result is judged. The majority counts; without one it is `cannot_tell`.'),
    instructions: Instructions.optional().describe(
      `${Instructions.meta()!.description} The instructions of the team if omitted.`,
    ),
    reference: z
      .boolean()
      .default(true)
      .describe('Whether the judge sees what the case expects, as a reference that may be wrong.'),
    allow_self: z
      .boolean()
      .default(false)
      .describe('Whether a model may judge itself. Models prefer their own replies, so it is refused otherwise.'),
    seed: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .default(1)
      .describe('Seed of the random draw.'),
    temperature: settings.temperature,
    max_tokens: MaxTokens.default(4096).describe(
      "The maximum number of tokens in a reply of the judge; null for no limit but the model's own.",
    ),
    timeout_s: settings.timeout_s,
    params: Params.default({}),
    budget: settings.budget,
    experiment_id: settings.experiment_id,
  })
  .refine(({ eval_id, a, b }) => (eval_id === undefined ? a !== undefined && b !== undefined : !a && !b), {
    message: 'must have either eval_id, to judge a run, or a and b, to compare two',
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'JudgeInput', description: 'Results for a model to judge, or two runs for it to compare.' });
export type JudgeInput = z.infer<typeof JudgeInput>;

export const JudgeSetting = z
  .strictObject({
    judge: judgeName
      .nullable()
      .default(null)
      .describe('The default judge, as `provider_key::model_id`; null for none.'),
    instructions: Instructions.default(''),
    auto_below: below
      .default(0)
      .describe(
        'When a run ends with a score below this, its failed results are judged once. 0 means never, 1 every run ' +
          'with a failure.',
      ),
  })
  .meta({ id: 'JudgeSetting', description: 'The default judge of a team, and when it judges runs automatically.' });
export type JudgeSetting = z.infer<typeof JudgeSetting>;

export const Opinion = z
  .enum(OPINIONS)
  .describe(
    '`correct`: as expected. `acceptable`: another way that serves the user as well. `wrong`: it does not serve ' +
      'the user. `cannot_tell`: the evidence does not decide it.',
  );
export type Opinion = z.infer<typeof Opinion>;
export const Preference = z
  .enum(PREFERENCES)
  .describe('For a comparison: whether the reply of `b` is better (`win`), worse (`loss`), or neither (`tie`).');
export type Preference = z.infer<typeof Preference>;
export const Agreement = z
  .enum(AGREEMENTS)
  .describe(
    'The judgement against the verdict: `kinder` where the judge accepts a failed result, `stricter` where it finds ' +
      'a passed result wrong.',
  );
export type Agreement = z.infer<typeof Agreement>;

/** A judge's verdict on one reply. */
export const JudgedReply = z.object({
  verdict: Opinion,
  tool: z
    .enum(['right', 'acceptable_alternative', 'wrong', 'missing', 'unneeded'])
    .describe('The called tools: right, another one that serves as well, wrong, missing, or not needed.'),
  arguments: z
    .enum(['right', 'equivalent', 'partly', 'wrong', 'not_applicable'])
    .describe('Their arguments: right, equivalent, partly right, wrong, or not applicable.'),
  reasons: z.array(z.string()).describe('The reasons of the judge, in one to three sentences.'),
  expectation_at_fault: z.boolean().describe('Whether the judge considers the expectation of the case wrong.'),
  expectation_note: z.string().nullable().describe('The error in the expectation; null for none.'),
});
export type JudgedReply = z.infer<typeof JudgedReply>;

const tokens = z.int().nullable();
export const Judgement = named('Judgement', 'The judgement of one result. It changes no score.', {
  position: z.int().describe('Its number in the report, from 0.'),
  eval_id: id.describe('The run of the result; for a comparison, run `b`.'),
  result_id: z.string().describe('The result that was judged; for a comparison, the result of `b`.'),
  other_result_id: z.string().nullable().describe('For a comparison: the result of `a`; null otherwise.'),
  target: z.string().describe('Its model, as `provider_key::model_id`. The judge does not see it.'),
  case_id: id.describe('The case.'),
  case_name: z.string().nullable().describe('The name of the case; null when it has none.'),
  prompt: z.string().describe('The first 200 characters of the prompt of the case.'),
  passed: z.boolean().describe('Whether the result passed. A judgement changes no score.'),
  state: z
    .enum(JUDGEMENT_STATES)
    .describe('`errored`: the judge did not reply, or its reply could not be read twice. Never `wrong`.'),
  judged: JudgedReply.nullable().describe('The verdict of the judge; null for a comparison, and until it is made.'),
  preference: Preference.nullable().describe('For a comparison; null otherwise, and until it is made.'),
  flipped: z
    .boolean()
    .describe('For a comparison: whether the choice of the judge changed when the two replies changed places.'),
  reasons: z.array(z.string()).describe('The reasons of the judge, in sentences.'),
  agreement: Agreement.nullable().describe(
    'Agreement with pass and fail; null where the judge cannot tell, and for comparisons.',
  ),
  label: z
    .enum(LABELS)
    .nullable()
    .describe('The label of people: the most frequent one, the stricter on a tie; null without labels.'),
  suspicious: z
    .boolean()
    .describe(
      'Whether the reply contains text that addresses a grader. It was also judged without its texts, and the ' +
        'stricter judgement counts.',
    ),
  votes: z.record(z.string(), z.int()).describe('How often each verdict was given, over several samples.'),
  error: z.string().nullable().describe('Why it errored; null when it did not.'),
  usage: described('Tokens of this judgement.', {
    prompt_tokens: tokens.describe('Tokens of the requests; null when unknown.'),
    completion_tokens: tokens.describe('Tokens of the replies; null when unknown.'),
  }),
  cost_usd: z.number().nullable().describe('US dollars; null without prices, 0 from stored replies.'),
});
export type Judgement = z.infer<typeof Judgement>;

export const CALIBRATION_STATUSES = ['uncalibrated', 'weak', 'usable', 'good'] as const;
const interval = z.tuple([z.number(), z.number()]);
const Agreeing = z.object({
  kappa: z
    .number()
    .nullable()
    .describe("Cohen's kappa: 1 is full agreement, 0 is chance. Null where chance alone always agrees."),
  ci: interval.nullable().describe('Its 95 % interval; null without kappa.'),
});
const Confirmed = z.object({
  n: z.int().describe('How many of them have a label.'),
  share: z.number().nullable().describe('The share that people confirm, 0..1; null without labels.'),
  ci: interval.nullable().describe("Wilson's 95 % interval."),
});
export const CalibrationHead = named('CalibrationHead', 'How far human labels confirm a judge.', {
  status: z
    .enum(CALIBRATION_STATUSES)
    .describe(
      '`uncalibrated`: fewer than 50 human labels, or fewer than 15 of the rarer kind. Otherwise by the lower ' +
        'end of the interval of kappa: `weak` below 0.4, `usable`, `good` from 0.6.',
    ),
  labels: z.int().describe('Human labels that count: those of randomly drawn results.'),
  kappa: Agreeing.shape.kappa,
  ci: Agreeing.shape.ci,
  text: z.string().describe('The result in a sentence, to be shown next to every figure of the judge.'),
});
export type CalibrationHead = z.infer<typeof CalibrationHead>;

export const Calibration = CalibrationHead.extend({
  judge: z.string().describe('The judge, as `provider_key::model_id`.'),
  report_id: id.nullable().describe('The newest report of the judge with this model, instructions and rules.'),
  instructions: z.string().describe('The instructions of the judge.'),
  reports: z.int().describe('Reports with the same configuration, whose labels count together.'),
  linear: Agreeing.describe('Kappa over the three levels, where one level off counts half.'),
  ok: Confirmed.describe('Results that the judge finds correct or acceptable.'),
  wrong: Confirmed.describe('Results that the judge finds wrong.'),
  table: z
    .array(
      z.object({
        judged: z.enum(LABELS).describe('The verdict of the judge.'),
        label: z.enum(LABELS).describe('The label of people.'),
        n: z.int().describe('How many labels that count.'),
      }),
    )
    .describe('The judge against people: every pair of verdict and label that occurs, as counted labels.'),
  left_out: z
    .int()
    .describe('Labels of judged results that were not drawn at random, or on which the judge could not tell.'),
  asked: z.int().describe('Recommended number of labels: 100.'),
}).meta({ id: 'Calibration', description: 'A judge against human labels, weighted by how results were drawn.' });
export type Calibration = z.infer<typeof Calibration>;

const counted = z.int();
const JudgedTarget = z.object({
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  judged: counted.describe('Results with a judgement.'),
  errored: counted.describe('Results that could not be judged. They count in no share.'),
  counts: described('How often each verdict was given.', {
    correct: counted.describe('As expected.'),
    acceptable: counted.describe('Another way that serves the user as well.'),
    wrong: counted.describe('Does not serve the user.'),
    cannot_tell: counted.describe('The judge could not tell.'),
  }),
  share_ok: z
    .number()
    .nullable()
    .describe('The share of correct or acceptable results among decided ones, 0..1; each case weighs the same.'),
  share_ok_ci: interval.nullable().describe('Its 95 % interval over cases.'),
  kappa: Agreeing.shape.kappa.describe("Cohen's kappa of ok and wrong against pass and fail."),
  kappa_ci: interval.nullable().describe('Its 95 % interval.'),
  kinder: counted.describe('Failed results that the judge accepts.'),
  stricter: counted.describe('Passed results that the judge finds wrong.'),
  expectation_at_fault: counted.describe('Results whose expectation the judge considers wrong.'),
  suspicious: counted.describe('Results with text that addresses a grader.'),
});
export type JudgedTarget = z.infer<typeof JudgedTarget>;
const ComparedPair = z.object({
  a: z.string().describe('The model of the baseline, as `provider_key::model_id`.'),
  b: z.string().describe('The model of the other run.'),
  wins: counted.describe('Cases in which the reply of `b` is better in both orders.'),
  losses: counted.describe('Cases in which the reply of `a` is better in both orders.'),
  ties: counted.describe('All other cases, including those in `position_flips`.'),
  position_flips: counted.describe('Cases in which the choice of the judge changed with the order.'),
  errored: counted.describe('Cases that could not be judged.'),
  preference: z.number().nullable().describe('The share of wins among wins and losses, 0..1; null without any.'),
  preference_ci: interval.nullable().describe("Wilson's 95 % interval."),
  can_tell: z.boolean().describe('False above 20 % flips: the judge cannot tell these two apart.'),
  text: z.string().describe('The result in a sentence.'),
});
export type ComparedPair = z.infer<typeof ComparedPair>;

const sentences = z.array(z.string());
export const JudgeReport = named('JudgeReport', 'The report of a judge on one run or two. It changes no score.', {
  id: id.describe('The id of the report.'),
  root_id: id.describe('The first report that this one repeats; for the first, its own id.'),
  version: z.int().describe('Its number among these reports, from 1. A rerun creates the next one.'),
  job_id: id.describe('The job of the report.'),
  status: JobStatus,
  error: z.string().nullable().describe('Why it failed or stopped; null otherwise.'),
  eval_id: id.describe('The run that was judged; for a comparison, `b`.'),
  baseline_eval_id: id.nullable().describe('For a comparison: `a`; null otherwise.'),
  experiment_id: id.nullable().describe('The experiment that it belongs to; null for none.'),
  judge: z.string().describe('The judge, as `provider_key::model_id`.'),
  source: z
    .enum(['user', 'inline', 'after', 'auto'])
    .describe('What requested it: a user, the run itself (`inline`, `after`), or the settings of the team.'),
  self_judged: z.boolean().describe('Whether the judge judges its own model.'),
  input: JudgeInput.describe('The request, with defaults filled in.'),
  items: counted.describe('Number of results, or of cases in common, to judge.'),
  judged: counted.describe('Number judged so far.'),
  errored: counted.describe('Number that could not be judged.'),
  share_ok: z
    .number()
    .nullable()
    .describe('The share of correct or acceptable results over all models; null for none.'),
  share_ok_ci: interval.nullable().describe('Its 95 % interval over cases.'),
  kappa: z.number().nullable().describe('The agreement with pass and fail, over all models.'),
  kappa_ci: interval.nullable().describe('Its 95 % interval, cut to -1..1.'),
  targets: z.array(JudgedTarget).describe('The figures of each model. Empty for a comparison.'),
  pairs: z.array(ComparedPair).describe('For a comparison: each pair of models.'),
  strengths: sentences.describe('What goes well, as summarised by the judge.'),
  weaknesses: sentences.describe('What goes wrong.'),
  recommendations: sentences.describe('What the judge would change.'),
  calibration: CalibrationHead.describe('How far human labels confirm this judge.'),
  usage: described('The usage of the report.', {
    requests: counted.describe('Requests to the judge.'),
    prompt_tokens: counted.describe('Tokens of the requests.'),
    completion_tokens: counted.describe('Tokens of the replies.'),
  }),
  cost_usd: z.number().nullable().describe('US dollars so far; null without prices.'),
  ...noteFields('Notes on the use of the figures.'),
  created_at: time.describe('When it was requested.'),
  finished_at: time.nullable().describe('When it ended; null until then.'),
});
export type JudgeReport = z.infer<typeof JudgeReport>;

/** A judgement, reduced to what the figures need. */
export interface Judged {
  target: string;
  /** The model of the baseline; null unless two runs are compared. */
  other: string | null;
  casePosition: number;
  state: string;
  verdict: string | null;
  passed: boolean;
  agreement: string | null;
  expectationAtFault: boolean;
  suspicious: boolean;
  flipped: boolean;
}

/** The aggregated judgements of a report. */
export type ReportFigures = Pick<
  JudgeReport,
  'items' | 'judged' | 'errored' | 'share_ok' | 'share_ok_ci' | 'kappa' | 'kappa_ci' | 'targets' | 'pairs'
>;

export const JudgeSubmitted = named('JudgeSubmitted', 'A report that was accepted. It is created in the background.', {
  job_id: id.describe('The job of the report.'),
  report_id: id.describe('The id of the report.'),
  status: z.literal('submitted').describe('Always `submitted`. The job has the current status.'),
});
export type JudgeSubmitted = z.infer<typeof JudgeSubmitted>;
