import { z } from 'zod';
import { named, namedInput } from './named.js';
import { judgeName } from './judge-of-run.js';
import { id, PageQuery, time } from './page.js';
import { Result } from './result.js';
import { LABELS } from './values/judging.js';

export type LabelName = (typeof LABELS)[number];
const label = z
  .enum(LABELS)
  .describe(
    "A person's opinion of a result: `correct`; `acceptable`, another way that serves the user as well; or `wrong`.",
  );
const note = z.string().trim().max(2_000).nullish().describe('The reason; null or left out for none.');

export const LabelInput = namedInput('LabelInput', "A person's label of a result.", { label, note });
export type LabelInput = z.infer<typeof LabelInput>;

/** One line of an import. */
export const LabelLine = z.strictObject({
  result_id: z.string().min(1).max(100).describe('The id of the result.'),
  label,
  note,
});
export type LabelLine = z.infer<typeof LabelLine>;
export const MAX_LABEL_LINES = 10_000;
export const LabelsInput = namedInput('LabelsInput', 'Labels of results of a run, all of them yours.', {
  labels: z.array(LabelLine).min(1).max(MAX_LABEL_LINES).describe('The labels, one for each result.'),
});
export type LabelsInput = z.infer<typeof LabelsInput>;

export const Label = named('Label', "A person's opinion of a result. It changes no score.", {
  result_id: z.string().describe('The result.'),
  label,
  note: z.string().nullable().describe('The reason; null for none.'),
  user: z.string().describe('The user who gave it.'),
  mine: z.boolean().describe('Whether it is your own.'),
  created_at: time.describe('When it was first given.'),
  updated_at: time.describe('When it was last changed.'),
});
export type Label = z.infer<typeof Label>;

export const LabelsQuery = z.strictObject({
  ...PageQuery.shape,
  result_id: z.string().max(100).optional().meta({ description: 'Only those of this result.', example: '0-1-0' }),
});
export type LabelsQuery = z.infer<typeof LabelsQuery>;

export const LabelsImported = named('LabelsImported', 'Labels that were imported.', {
  labels: z.int().describe('How many labels were stored.'),
});
export type LabelsImported = z.infer<typeof LabelsImported>;

export const LabelQueueQuery = z.strictObject({
  eval_id: id.optional().meta({
    description: 'Only results of this run; of all runs that the judge has judged if left out.',
    example: '019aa8a2-5c1e-7000-8000-000000000031',
  }),
  judge: judgeName.optional().meta({
    description: 'The judge to calibrate; the default judge of the team if left out.',
    example: 'simulator::judge:right',
  }),
  limit: z.coerce.number().int().min(1).max(50).default(10).describe('The maximum number of results to draw.'),
});
export type LabelQueueQuery = z.infer<typeof LabelQueueQuery>;

export const LabelDraw = named('LabelDraw', 'A result that was drawn at random for a person to label.', {
  eval_id: id.describe('The run of the result.'),
  report_id: id.describe('The report that judged it.'),
  result: Result.describe("The result, without the judge's opinion, which would bias the label."),
  conversation: z.array(z.unknown()).describe('The request to the model, as messages.'),
});
export type LabelDraw = z.infer<typeof LabelDraw>;

export const LabelQueue = named('LabelQueue', 'The results to label next, to calibrate a judge.', {
  judge: z.string().describe('The judge, as `provider_key::model_id`.'),
  items: z
    .array(LabelDraw)
    .describe('Results without a label, in an order unrelated to the judgement: half of them judged ok, half wrong.'),
  labelled: z.int().describe("Results with people's labels that count for this judge."),
  asked: z.int().describe('The target number of labels: 100.'),
  left: z.int().describe('Judged results that have no label yet, among those that may be drawn.'),
});
export type LabelQueue = z.infer<typeof LabelQueue>;
