import type { LogEvent } from '#lib/contracts/event';
import type { OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import { readJudgedRows } from '#lib/judge/rows/judge-reports';
import { CalibrationRepository } from '#lib/judge/rows/calibrations';
import { calibrate } from '#lib/judge/calibrate';
import { figuresOf } from '#lib/judge/figures';
import { fingerprintOf } from '#lib/judge/judge-request';
import type { ReportContext } from './report-context.js';

/** The last step. A stopped report continues where it was when it is resumed. */
export async function endReport(
  { pool, orchestration, state, report, rules }: ReportContext,
  end: OrchestrationEnd = { status: 'completed' },
): Promise<Step> {
  const isDone = end.status === 'completed';
  if (!isDone) return { state, next: orchestration.step, end };
  const figures = figuresOf(await readJudgedRows(pool, orchestration.id));
  const fingerprint = fingerprintOf(report.judge, rules);
  const drawn = await new CalibrationRepository(pool, orchestration.teamId).drawn([fingerprint]);
  const events: LogEvent[] = [
    {
      name: 'judge_complete',
      data: {
        report_id: orchestration.id,
        share_ok: figures.share_ok,
        kappa: figures.kappa,
        calibration: calibrate(drawn.get(fingerprint) ?? []).status,
      },
    },
  ];
  return { state: { ...state, figures }, next: null, events, end };
}
