import { Inject, Injectable } from '@nestjs/common';
import { ProblemError } from '#lib/contracts/input/problem';
import type { JudgeEstimate } from '#lib/contracts/judge-estimate';
import {
  type Judgement,
  JudgeInput,
  type JudgeReport,
  type JudgeSetting,
  type JudgeSubmitted,
} from '#lib/judge/contract';
import { type JudgementsQuery, type ReportsQuery } from '#lib/judge/queries';
import type { Page } from '#lib/contracts/page';
import { findReservedParams } from '#lib/contracts/params';
import { targetName } from '#lib/contracts/target-name';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { JudgeSettingRepository } from '#lib/judge/rows/judge-settings';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { joinExperiment } from '#lib/db/engine/experiments';
import { submitReport } from '#lib/judge/rows/store-report';
import { deleteOrchestrations } from '#lib/db/upkeep/delete-parents';
import { asReport, JudgeReportRepository, readJudgedRows, type ReportRow } from '#lib/judge/rows/judge-reports';
import { figuresOf } from '#lib/judge/figures';
import type { Redis } from '#lib/runtime/redis';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import { checkExperiment } from '../runs/check-experiment.js';
import { checkBudget } from '../runs/check-run.js';
import { checkSpending } from '../runs/check-spending.js';
import { refuseSelf, resolveJudge } from '../runs/resolve-judge.js';
import { calibrationHeads } from './calibration-heads.js';
import { estimateReport } from './estimate-report.js';
import { planReport, type PlannedReport } from './plan-report.js';

/** Submits and reads judge reports. */
@Injectable()
export class JudgeService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  /** @param rootId the first report in the chain of reports that this one repeats */
  async submit(caller: Caller, input: JudgeInput, change: Change, rootId?: string): Promise<JudgeSubmitted> {
    const { teamId, userId, tokenId } = caller;
    const { pool } = this;
    const { judge, run, baseline, requests } = await this.#plan(caller, input);
    const suite = { suite_id: run.suiteId, case_filter: null };
    await checkExperiment(pool, teamId, { experiment_id: input.experiment_id, ...suite });
    if (judge.priced) await checkSpending(pool, caller, suite, [judge]);
    const name = targetName(judge);
    const instructions = input.instructions ?? (await new JudgeSettingRepository(pool, teamId).read()).instructions;
    const submitted = await change(async (client) => {
      const report = await submitReport(client, {
        teamId,
        userId,
        tokenId,
        asked: { ...input, judge: name, instructions },
        judge: name,
        runId: run.id,
        baselineId: baseline?.id ?? null,
        source: 'user',
        experimentId: input.experiment_id,
        planned: requests,
        ...(rootId !== undefined && { rootId }),
      });
      const { id, jobId } = report!;
      await joinExperiment(client, teamId, input.experiment_id);
      await audit(client, caller, 'judge.submit', id, { after: { ...input, judge: name, instructions, requests } });
      return { job_id: jobId, report_id: id, status: 'submitted' as const };
    });
    notifyOfJobs(this.redis, [submitted.job_id]);
    return submitted;
  }

  async estimate(caller: Caller, input: JudgeInput): Promise<JudgeEstimate> {
    const { judge, ...plan } = await this.#plan(caller, input);
    return estimateReport(this.pool, caller.teamId, judge, { ...plan, input });
  }

  /** Everything that is checked before a report is stored. */
  async #plan({ teamId }: Caller, input: JudgeInput): Promise<PlannedReport & { judge: ResolvedTarget }> {
    const reserved = findReservedParams(input.params, 'params');
    if (reserved.length) throw new ProblemError(422, reserved[0]!.message, reserved);
    const judge = await resolveJudge(this, teamId, input.judge, '/judge');
    const plan = await planReport(this.pool, teamId, input);
    if (!input.allow_self) refuseSelf(judge, [...plan.run.targets, ...(plan.baseline?.targets ?? [])], '/judge');
    checkBudget(input, [judge]);
    return { judge, ...plan };
  }

  async rerun(caller: Caller, id: string, change: Change): Promise<JudgeSubmitted> {
    const { root_id: root, input } = await this.#reports(caller).read(id);
    return this.submit(caller, JudgeInput.parse(input), change, root);
  }

  async list(caller: Caller, query: ReportsQuery): Promise<Page<JudgeReport>> {
    const page = await this.#reports(caller).list({ ...query, suiteIds: caller.limits.suiteIds });
    return { ...page, items: await this.#withCalibration(caller, page.items) };
  }

  async read(caller: Caller, id: string): Promise<JudgeReport> {
    const report = await this.#reports(caller).read(id);
    // Partial figures for a report that has not ended.
    const figures = report.figures ?? figuresOf(await readJudgedRows(this.pool, report.id));
    const [read] = await this.#withCalibration(caller, [{ ...report, figures }]);
    return read!;
  }

  judgements(caller: Caller, id: string, query: JudgementsQuery): Promise<Page<Judgement>> {
    return this.#reports(caller).judgements(id, query);
  }

  delete(caller: Caller, id: string, change: Change): Promise<void> {
    const { teamId } = caller;
    return change(async (client) => {
      const report = await new JudgeReportRepository(client, teamId).read(id);
      const { job_id: jobId, judge, version, status, created_at } = report;
      const outcome = await deleteOrchestrations(client, { teamId, subjectId: id });
      if (outcome === 'unfinished')
        throw new ProblemError(409, 'The report is not finished. Cancel it first.').as('job_unfinished', {
          job_id: jobId,
        });
      await audit(client, caller, 'judge.delete', id, { before: { judge, version, status, created_at } });
    });
  }

  setting({ teamId }: Caller): Promise<JudgeSetting> {
    return new JudgeSettingRepository(this.pool, teamId).read();
  }

  async set(caller: Caller, setting: JudgeSetting, change: Change): Promise<JudgeSetting> {
    const { teamId } = caller;
    if (setting.judge === null && setting.auto_below > 0)
      throw new ProblemError(422, 'Runs cannot be judged automatically without a default judge.', [
        { path: '/judge', message: 'must be a model where auto_below is above 0' },
      ]).as('no_default_judge');
    const judge = setting.judge === null ? null : targetName(await resolveJudge(this, teamId, setting.judge, '/judge'));
    const stored = { ...setting, judge };
    return change(async (client) => {
      const before = await new JudgeSettingRepository(client, teamId).set(stored);
      await audit(client, caller, 'settings.judge', judge ?? 'none', { before, after: stored });
      return stored;
    });
  }

  #reports({ teamId }: Caller): JudgeReportRepository {
    return new JudgeReportRepository(this.pool, teamId);
  }

  async #withCalibration({ teamId }: Caller, reports: readonly ReportRow[]): Promise<JudgeReport[]> {
    const heads = await calibrationHeads(
      this.pool,
      teamId,
      reports.map(({ fingerprint }) => fingerprint),
    );
    return reports.map((report) => asReport(report, heads.get(report.fingerprint)!));
  }
}
