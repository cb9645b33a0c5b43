import { Controller, Get, Query, Inject } from '@nestjs/common';
import { Calibration, MIN_LABELS, type JudgeSetting } from '#lib/judge/contract';
import { CalibrationQuery } from '#lib/judge/queries';
import { LabelQueue, LabelQueueQuery, type LabelDraw } from '#lib/contracts/label';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Me, Needs } from '../platform/decorators.js';
import { ProblemError } from '#lib/contracts/input/problem';
import { JudgeSettingRepository } from '#lib/judge/rows/judge-settings';
import { inTransaction, type Pool } from '#lib/db/connection/pool';
import { drawForLabels, type Draw } from '#lib/judge/rows/draw-for-labels';
import { CalibrationRepository, type CalibratedJudge } from '#lib/judge/rows/calibrations';
import { ResultRepository } from '#lib/db/read/results';
import { calibrate } from '#lib/judge/calibrate';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { POOL } from '../platform/stores.js';

/** Selects results to label, and computes how well the labels confirm a judge. */
@Controller('api/judge')
export class CalibrationController {
  /** By team. Draws for one judge take turns in Postgres, and hold connections meanwhile. */
  readonly #draws = new KeyedSemaphore(
    1,
    MAX_WAITING_DRAWS,
    `${MAX_WAITING_DRAWS} draws of this team are queued already. Try again when some are done.`,
  );

  constructor(@Inject(POOL) readonly pool: Pool) {}

  /** @throws ProblemError 404 for an unknown run, 422 when it is not clear which judge is meant */
  @Get('label-queue')
  @Needs('editor')
  @About(
    'Draw results to label',
    'Results that a judge has judged, drawn at random from its newest reports: half of them judged ok (correct or ' +
      'acceptable), half wrong. Results that were drawn before and have no label yet come first. The probability ' +
      'of each draw is kept, so that the calibration holds for everything the judge has judged.',
  )
  @Answers(200, LabelQueue, 404, 422, 429)
  async queue(
    @Me() { teamId }: Caller,
    @Query({ schema: LabelQueueQuery }) { eval_id: evalId, judge, limit }: LabelQueueQuery,
  ): Promise<LabelQueue> {
    const calibrations = new CalibrationRepository(this.pool, teamId);
    const runId = evalId?.toLowerCase();
    if (runId !== undefined) await calibrations.checkRun(runId);
    const name = judge ?? nameOf(await this.#setting(teamId));
    const found = await calibrations.findJudge(name, runId);
    if (!found) return { judge: name, items: [], labelled: 0, asked: MIN_LABELS.asked, left: 0 };
    const { fingerprint } = found;
    return this.#draws.run(teamId, async () => {
      const { draws, left } = await inTransaction(this.pool, (client) =>
        drawForLabels(client, { teamId, fingerprint, runId }, limit),
      );
      const items = await this.#readDraws(teamId, draws);
      const { labels } = calibrate((await calibrations.drawn([fingerprint])).get(fingerprint)!);
      return { judge: found.judge, items, labelled: labels, asked: MIN_LABELS.asked, left };
    });
  }

  /** @throws ProblemError 404 for an unknown report, 422 when it is not clear which judge is meant */
  @Get('calibration')
  @About(
    'Read the calibration of a judge',
    "Compares a judge with people's labels of results drawn for it. When several people label a result, the " +
      'majority counts; in a tie, the stricter label. Another model, other instructions, or ' +
      'another prompt format start a new calibration; existing labels count in it once their results are drawn.',
  )
  @Answers(200, Calibration, 404, 422)
  async calibration(
    @Me() { teamId }: Caller,
    @Query({ schema: CalibrationQuery }) query: CalibrationQuery,
  ): Promise<Calibration> {
    const calibrations = new CalibrationRepository(this.pool, teamId);
    const { judge, instructions, report } = await this.#findJudge(teamId, query);
    const fingerprints = report ? [report.fingerprint] : [];
    const drawn = await calibrations.drawn(fingerprints);
    const { reports, labelled } = report ? await calibrations.counts(report.fingerprint) : { reports: 0, labelled: 0 };
    const figures = calibrate([...drawn.values()].flat());
    return {
      ...figures,
      judge,
      report_id: report?.reportId ?? null,
      instructions,
      reports,
      left_out: Math.max(0, labelled - figures.labels), // A label may be removed between the two statements.
      asked: MIN_LABELS.asked,
    };
  }

  /** The judge of a report, or the judge with this name as of its newest report, if any. */
  async #findJudge(
    teamId: string,
    { judge, report_id: reportId }: CalibrationQuery,
  ): Promise<{ judge: string; instructions: string; report?: CalibratedJudge }> {
    const calibrations = new CalibrationRepository(this.pool, teamId);
    if (judge !== undefined && reportId !== undefined)
      throw new ProblemError(422, 'Give either judge or report_id.', [
        { path: '/report_id', message: 'cannot be combined with judge' },
      ]);
    const setting = await this.#setting(teamId);
    const report = reportId
      ? await calibrations.judgeOf(reportId)
      : await calibrations.findJudge(judge ?? nameOf(setting));
    return report ? { ...report, report } : { judge: judge ?? nameOf(setting), instructions: setting.instructions };
  }

  #setting(teamId: string): Promise<JudgeSetting> {
    return new JudgeSettingRepository(this.pool, teamId).read();
  }

  /** Omits results whose run was deleted meanwhile. */
  async #readDraws(teamId: string, draws: readonly Draw[]): Promise<LabelDraw[]> {
    const found = await new ResultRepository(this.pool, teamId).readSeveral(draws);
    return draws.flatMap(({ run_id, report_id }, index) => {
      const one = found[index];
      if (!one) return [];
      const { result, input } = one;
      const conversation = input.messages ?? [{ role: 'user', content: input.prompt ?? '' }];
      return [{ eval_id: run_id, report_id, result, conversation }];
    });
  }
}

const MAX_WAITING_DRAWS = 30;

/** @throws ProblemError 422 for a team without a default judge */
function nameOf({ judge }: JudgeSetting): string {
  if (judge !== null) return judge;
  throw new ProblemError(422, 'The team has no default judge. Choose a judge, or have an owner set the default.', [
    { path: '/judge', message: 'is missing' },
  ]).as('no_default_judge');
}
