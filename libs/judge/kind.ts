import { z } from 'zod';
import { count, event, share } from '#lib/contracts/event-shapes';
import type { OrchestrationKind } from '#lib/contracts/orchestration-kind';
import { id } from '#lib/contracts/page';
import { OPINIONS, PREFERENCES } from '#lib/contracts/values/judging';
import { Agreement, CALIBRATION_STATUSES } from './contract.js';

const reportId = id.describe('The report.');
const events = {
  judge_start: event('A judge begins.', {
    report_id: reportId,
    judge: z.string().describe('The judge, as `provider_key::model_id`.'),
    items: count.describe('Results, or cases in common, that it judges. Those of a run that goes on come on top.'),
  }),
  judge_verdict: event('A judge has judged a result, or a case of two runs. It changes no score.', {
    report_id: reportId,
    position: count.describe('Its number in the report, from 0.'),
    result_id: z.string().describe('The result; of a comparison, that of `b`.'),
    target: z.string().describe('Its model, as `provider_key::model_id`.'),
    verdict: z
      .enum([...OPINIONS, ...PREFERENCES])
      .nullable()
      .describe('The judgement; null when it errored.'),
    agreement: Agreement.nullable().describe('Beside pass and fail; null where the judge cannot tell.'),
    suspicious: z.boolean().describe('Whether the reply holds text that speaks to a grader.'),
  }),
  judge_complete: event('A report has its figures. `job_completed` follows soon.', {
    report_id: reportId,
    share_ok: share.describe('Correct or acceptable of what it could tell, 0 to 1; null of none, and of comparisons.'),
    kappa: z.number().nullable().describe('Its agreement with pass and fail; null where there is none to speak of.'),
    calibration: z.enum(CALIBRATION_STATUSES).describe("How far people's labels confirm this judge."),
  }),
};

export const JUDGE = {
  type: 'judge',
  result: 'report',
  ref: 'report_id',
  events,
  rows: [['judgement', 'report_id', 'position']],
} as const satisfies OrchestrationKind;
