import { z } from 'zod';
import { count, event, share } from '#lib/contracts/event-shapes';
import type { OrchestrationKind } from '#lib/contracts/orchestration-kind';
import { id } from '#lib/contracts/page';
import { OPINIONS, PREFERENCES } from '#lib/contracts/values/judging';
import { Agreement, CALIBRATION_STATUSES } from './contract.js';

const reportId = id.describe('The report.');
const events = {
  judge_start: event('A judge starts.', {
    report_id: reportId,
    judge: z.string().describe('The judge, as `provider_key::model_id`.'),
    items: count.describe(
      'Number of results, or of cases in common, to judge. Those of a run in progress are added later.',
    ),
  }),
  judge_verdict: event('A judge has judged a result, or a case of two runs. It changes no score.', {
    report_id: reportId,
    position: count.describe('Its number in the report, from 0.'),
    result_id: z.string().describe('The result; for a comparison, the result of `b`.'),
    target: z.string().describe('Its model, as `provider_key::model_id`.'),
    verdict: z
      .enum([...OPINIONS, ...PREFERENCES])
      .nullable()
      .describe('The judgement; null when it errored.'),
    agreement: Agreement.nullable().describe('Agreement with pass and fail; null where the judge cannot tell.'),
    suspicious: z.boolean().describe('Whether the reply contains text that addresses a grader.'),
  }),
  judge_complete: event('A report has its figures. `job_completed` follows soon.', {
    report_id: reportId,
    share_ok: share.describe(
      'The share of correct or acceptable results among decided ones, 0 to 1; null for none, and for comparisons.',
    ),
    kappa: z.number().nullable().describe('Its agreement with pass and fail; null where it is undefined.'),
    calibration: z.enum(CALIBRATION_STATUSES).describe('How far human labels confirm this judge.'),
  }),
};

export const JUDGE = {
  type: 'judge',
  result: 'report',
  ref: 'report_id',
  events,
  rows: [['judgement', 'report_id', 'position']],
} as const satisfies OrchestrationKind;
