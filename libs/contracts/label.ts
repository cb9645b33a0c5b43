import { z } from 'zod';
import { judgeName } from './judge-of-run.js';
import { id, PageQuery, time } from './page.js';
import { Result } from './result.js';
import { LABELS } from './values/judging.js';

export type LabelName = (typeof LABELS)[number];
const label = z.enum(LABELS).meta({
  description:
    "A person's opinion of a result: `correct`; `acceptable`, another way that serves the user as well; or `wrong`.",
});
const note = z.string().trim().max(2_000).nullish().meta({ description: 'The reason; null or left out for none.' });

export const LabelInput = z
  .strictObject({ label, note })
  .meta({ id: 'LabelInput', description: "A person's label of a result." });
export type LabelInput = z.infer<typeof LabelInput>;

/** One line of an import. */
export const LabelLine = z.strictObject({
  result_id: z.string().min(1).max(100).meta({ description: 'The id of the result.' }),
  label,
  note,
});
export type LabelLine = z.infer<typeof LabelLine>;
export const MAX_LABEL_LINES = 10_000;
export const LabelsInput = z
  .strictObject({
    labels: z.array(LabelLine).min(1).max(MAX_LABEL_LINES).meta({ description: 'The labels, one for each result.' }),
  })
  .meta({ id: 'LabelsInput', description: 'Labels of results of a run, all of them yours.' });
export type LabelsInput = z.infer<typeof LabelsInput>;

export const Label = z
  .object({
    result_id: z.string().meta({ description: 'The result.' }),
    label,
    note: z.string().nullable().meta({ description: 'The reason; null for none.' }),
    user: z.string().meta({ description: 'The user who gave it.' }),
    mine: z.boolean().meta({ description: 'Whether it is your own.' }),
    created_at: time.meta({ description: 'When it was first given.' }),
    updated_at: time.meta({ description: 'When it was last changed.' }),
  })
  .meta({ id: 'Label', description: "A person's opinion of a result. It changes no score." });
export type Label = z.infer<typeof Label>;

export const LabelsQuery = z.strictObject({
  ...PageQuery.shape,
  result_id: z.string().max(100).optional().meta({ description: 'Only those of this result.', example: '0-1-0' }),
});
export type LabelsQuery = z.infer<typeof LabelsQuery>;

export const LabelsImported = z
  .object({ labels: z.int().meta({ description: 'How many labels were stored.' }) })
  .meta({ id: 'LabelsImported', description: 'Labels that were imported.' });
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
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(50)
    .default(10)
    .meta({ description: 'The maximum number of results to draw.' }),
});
export type LabelQueueQuery = z.infer<typeof LabelQueueQuery>;

export const LabelDraw = z
  .object({
    eval_id: id.meta({ description: 'The run of the result.' }),
    report_id: id.meta({ description: 'The report that judged it.' }),
    result: Result.meta({ description: "The result, without the judge's opinion, which would bias the label." }),
    conversation: z.array(z.unknown()).meta({ description: 'The request to the model, as messages.' }),
  })
  .meta({ id: 'LabelDraw', description: 'A result that was drawn at random for a person to label.' });
export type LabelDraw = z.infer<typeof LabelDraw>;

export const LabelQueue = z
  .object({
    judge: z.string().meta({ description: 'The judge, as `provider_key::model_id`.' }),
    items: z.array(LabelDraw).meta({
      description:
        'Results without a label, in an order unrelated to the judgement: half of them judged ok, half wrong.',
    }),
    labelled: z.int().meta({ description: "Results with people's labels that count for this judge." }),
    asked: z.int().meta({ description: 'The target number of labels: 100.' }),
    left: z.int().meta({ description: 'Judged results that have no label yet, among those that may be drawn.' }),
  })
  .meta({ id: 'LabelQueue', description: 'The results to label next, to calibrate a judge.' });
export type LabelQueue = z.infer<typeof LabelQueue>;
