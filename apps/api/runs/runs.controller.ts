import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Redis } from 'ioredis';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Pool } from '#lib/db/connection/pool';
import type { Prisma } from '#lib/db/connection/prisma';
import { defaultCachePolicy } from '#lib/contracts/cache-policy';
import { CancelInput, Job, JobStatus, JobType } from '#lib/contracts/job';
import type { RunMetric } from '#lib/contracts/metric';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/problem';
import { Rescore, RescoreInput, RescoreSubmitted, type RescoreOptions } from '#lib/contracts/rescore';
import {
  Estimate,
  ResumeInput,
  Result,
  ResultsQuery,
  ResultWithExchange,
  Run,
  RunExport,
  RunInput,
  Submitted,
} from '#lib/contracts/run';
import type { Verdict } from '#lib/contracts/verdict';
import { audit } from '#lib/db/catalogue/audit';
import { cancelJob } from '#lib/db/engine/cancel-job';
import { deleteRun } from '#lib/db/upkeep/delete-run';
import { changedJob, listJobs, readJob } from '#lib/db/read/jobs';
import { listResults, listRuns, readResult, readRun } from '#lib/db/read/runs';
import { submitRescore } from '#lib/db/engine/rescore-run';
import { findRescore, listRescores } from '#lib/db/read/rescores';
import { resumeRun } from '#lib/db/engine/resume-run';
import { submitRun } from '#lib/db/engine/submit-run';
import type { Caller } from '#lib/db/catalogue/callers';
import { notify } from '#lib/events/notifications';
import { toRequestTools } from '#lib/providers/build-request';
import { traceSubmit } from '#lib/runtime/tracing/tracing';
import { explain } from '#lib/scoring/house/explain';
import { toolSetOf, restoreRequests } from '#lib/scoring/cases/tool-set';
import { checkCap, checkRescore, checkResume, checkRun, knownMetrics, namedSuite, withVersions } from './check-run.js';
import { POOL, PRISMA, REDIS } from '../platform/stores.js';
import { SuiteThreads } from '../suites/suite-threads.js';
import { estimateRun } from './estimate-run.js';
import { CONTENT_TYPES, EXPORT_FORMATS, exportRun } from '../results/export-run.js';
import { resolveTargets } from './resolve-targets.js';
import {
  About,
  AlsoAnswers,
  Answers,
  Changes,
  cursorOf,
  idCursor,
  Me,
  uuid,
  type Change,
} from '../platform/decorators.js';

const ResultsPage = ResultsQuery.extend(PageQuery.shape);
const JobsPage = PageQuery.extend({
  status: JobStatus.optional().meta({ description: 'Only jobs in this status.' }),
  type: JobType.optional().meta({ description: 'Only jobs of this type.' }),
});
const ExportQuery = z.strictObject({
  format: z.enum(EXPORT_FORMATS).default('json').meta({ description: 'What the file is.' }),
  rescore_id: ResultsQuery.shape.rescore_id,
});
const ResultQuery = ResultsQuery.pick({ rescore_id: true });

/** Requests that are counted before a run is written, which nobody should have to wait for. */
const SAMPLE_AT_SUBMIT = 200;

@Controller('api')
export class RunsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(PRISMA) readonly prisma: Prisma,
    @Inject(REDIS) readonly redis: Redis,
    readonly suiteThreads: SuiteThreads,
  ) {}

  @Post('tool-eval')
  @About(
    'Submit a run',
    'Plays the cases of a suite with some models, in the background. It answers as soon as the run ' +
      'is written down, whatever its size.',
  )
  @Answers(202, Submitted)
  async submit(@Me() caller: Caller, @Body({ schema: RunInput }) input: RunInput, @Changes() change: Change) {
    const startedAtMs = Date.now();
    const { run, suite, targets } = await this.#checked(caller, input);
    await checkCap(this.pool, caller.teamId, input, targets);
    const estimate = await estimateRun(this, caller.teamId, suite, run, targets, SAMPLE_AT_SUBMIT);
    const made = await change(async (client) => {
      const { jobId, runId } = await submitRun(client, {
        teamId: caller.teamId,
        userId: caller.userId,
        suiteId: input.suite_id,
        input: run,
        targets,
        estimate,
      });
      await audit(client, caller, 'run.submit', runId);
      return { job_id: jobId, eval_id: runId, status: 'submitted' as const };
    });
    traceSubmit(made.eval_id, startedAtMs, {
      'toolmark.job': made.job_id,
      'toolmark.suite': input.suite_id,
      'toolmark.models': targets.map(({ providerKey, modelId }) => `${providerKey}::${modelId}`),
    });
    this.#announce(made.job_id, new Set(targets.map((target) => target.laneId)));
    return made;
  }

  @Post('tool-eval/cancel')
  @About(
    'Cancel a run by its job',
    'Its status changes at once, requests under way are aborted, and what is settled stays. The same ' +
      'as `POST /api/jobs/{id}/cancel`.',
  )
  @Answers(202, Job, 409)
  cancelEval(
    @Me() caller: Caller,
    @Body({ schema: CancelInput }) { job_id }: z.infer<typeof CancelInput>,
    @Changes() change: Change,
  ) {
    return this.#cancel(
      caller,
      job_id,
      change,
      new ProblemError(422, `No job with id "${job_id}" in this team.`, [
        { path: '/job_id', message: 'does not exist' },
      ]),
    );
  }

  @Get('tool-eval/history')
  @About('List runs', 'The newest first, finished or not.')
  @Answers(200, pageOf(Run))
  history(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return listRuns(this.prisma, caller.teamId, limit, idCursor(cursor));
  }

  @Get('tool-eval/history/:id')
  @About('Read a run', 'How far it is, its score, and the figures of each model that is done.')
  @Answers(200, Run, 404)
  run(@Me() caller: Caller, @Param('id') id: string) {
    return readRun(this.prisma, caller.teamId, uuid('run', id));
  }

  @Delete('tool-eval/history/:id')
  @About('Delete a run', 'With its results and exchanges. Refused with 409 until it is finished: cancel it first.')
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return change(async (client) => {
      const outcome = await deleteRun(client, { teamId: caller.teamId, runId: uuid('run', id) });
      if (outcome === 'not-found') throw notFound('run', id);
      if (outcome === 'unfinished')
        throw new ProblemError(409, 'The run is not finished. Cancel it first, with POST /api/tool-eval/cancel.');
      await audit(client, caller, 'run.delete', id);
    });
  }

  @Get('tool-eval/history/:id/results')
  @About(
    'List the results of a run',
    'In the order they were settled. A page of filtered results may hold fewer than asked for, even ' +
      'none: read on until `next_cursor` is null.',
  )
  @Answers(200, pageOf(Result), 404)
  async results(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: ResultsPage }) { limit, cursor, ...filter }: z.infer<typeof ResultsPage>,
  ) {
    const run = await this.#run(caller, id, filter.rescore_id);
    return listResults(this.pool, run.id, filter, limit, cursorOf(cursor, /^\d{1,9}\.\d{1,9}$/));
  }

  @Get('tool-eval/history/:id/results/:resultId')
  @About(
    'Read a result with its exchange',
    'What was asked and answered over the wire, and the verdict in plain sentences.',
  )
  @Answers(200, ResultWithExchange, 404)
  async result(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('resultId') resultId: string,
    @Query({ schema: ResultQuery }) { rescore_id }: z.infer<typeof ResultQuery>,
  ) {
    const run = await this.#run(caller, id, rescore_id);
    const { result, input, suiteTools, abstention, exchange } = await readResult(
      this.pool,
      run.id,
      resultId,
      rescore_id,
    );
    const explanation = result.error
      ? [`No model answered: ${result.error.message}`, 'The item has no score and counts in no average.']
      : explain({ ...result, ...result.evidence?.chain, abstention } as unknown as Verdict, input);
    if (!exchange) return { ...result, explanation, exchange };
    const { isLarge, requests, ...rest } = exchange;
    return {
      ...result,
      explanation,
      exchange: {
        requests: isLarge ? requests : restoreRequests(requests, toRequestTools(toolSetOf(input, suiteTools))),
        ...rest,
      },
    };
  }

  @Get('tool-eval/history/:id/export')
  @AlsoAnswers({
    'application/x-ndjson': '{"id": "0-1-0", "target": "simulator::perfect-ish", "passed": false, "overall": 0.8}\n',
    'text/csv': 'id,target,case_name,passed,overall\r\n0-1-0,simulator::perfect-ish,Tokyo in Fahrenheit,false,0.8\r\n',
    'application/xml': '<testsuites name="Weather" tests="3" failures="1" errors="0"></testsuites>\n',
  })
  @About(
    'Export a run',
    'All results in one file, written as it is read, however large the run: JSON, JSON Lines, CSV, ' +
      'or JUnit XML for a pipeline.',
  )
  @Answers(200, RunExport, 404)
  async export(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: ExportQuery }) { format, rescore_id }: z.infer<typeof ExportQuery>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const run = await this.#run(caller, id, rescore_id);
    const extension = format === 'junit' ? 'xml' : format;
    void reply.header('content-disposition', `attachment; filename="toolmark-${run.id}.${extension}"`);
    return new StreamableFile(Readable.from(exportRun(this.pool, run, format, rescore_id)), {
      type: CONTENT_TYPES[format],
    });
  }

  @Post('tool-eval/history/:id/rescore')
  @About(
    'Score a run again',
    'Scores the stored replies under other settings; no model is asked. The run keeps its own ' +
      'verdicts beside those of the rescore.',
  )
  @Answers(202, RescoreSubmitted, 404, 409)
  async rescore(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: RescoreInput }) input: RescoreInput,
    @Changes() change: Change,
  ) {
    const run = await this.#run(caller, id);
    const options: RescoreOptions = {
      ...input,
      metrics: input.metrics ? knownMetrics(input.metrics) : withVersions(run.config.metrics as unknown as RunMetric[]),
    };
    await checkRescore(this, caller.teamId, run.id, options);
    const made = await change(async (client) => {
      const rescore = await submitRescore(client, {
        teamId: caller.teamId,
        userId: caller.userId,
        runId: run.id,
        options,
      });
      if (rescore === 'unfinished')
        throw new ProblemError(409, 'The run is not finished. Wait for it, or cancel it, then score it again.');
      await audit(client, caller, 'run.rescore', run.id);
      return { job_id: rescore.jobId, rescore_id: rescore.rescoreId, eval_id: run.id, status: 'submitted' as const };
    });
    void notify(this.redis, { topic: 'job', id: made.job_id });
    return made;
  }

  @Get('tool-eval/history/:id/rescores')
  @About('List the rescores of a run', 'The newest first.')
  @Answers(200, pageOf(Rescore), 404)
  async rescores(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType,
  ) {
    return listRescores(this.pool, (await this.#run(caller, id)).id, limit, idCursor(cursor));
  }

  /** The team's run; with a rescore, only when that is done. */
  async #run(caller: Caller, id: string, rescoreId?: string): Promise<Run> {
    const run = await readRun(this.prisma, caller.teamId, uuid('run', id));
    if (rescoreId === undefined) return run;
    const rescore = await findRescore(this.pool, run.id, rescoreId);
    if (!rescore)
      throw new ProblemError(
        422,
        `The run has no rescore with id "${rescoreId}". GET /api/tool-eval/history/${run.id}/rescores lists them.`,
        [{ path: '/rescore_id', message: 'does not exist' }],
      );
    if (rescore.status !== 'completed')
      throw new ProblemError(409, `The rescore is ${rescore.status}; its verdicts are there once it is completed.`);
    return run;
  }

  @Get('jobs')
  @About('List jobs', 'The newest first.')
  @Answers(200, pageOf(Job))
  jobs(@Me() caller: Caller, @Query({ schema: JobsPage }) { limit, cursor, ...filter }: z.infer<typeof JobsPage>) {
    return listJobs(this.prisma, caller.teamId, filter, limit, idCursor(cursor));
  }

  @Get('jobs/:id')
  @About('Read a job', 'How far it is, and what it waits for.')
  @Answers(200, Job, 404)
  job(@Me() caller: Caller, @Param('id') id: string) {
    return readJob(this.prisma, caller.teamId, uuid('job', id));
  }

  @Post('jobs/:id/cancel')
  @About(
    'Cancel a job',
    'Its status changes at once, requests under way are aborted, and what is settled stays. A ' +
      'finished job answers 409.',
  )
  @Answers(202, Job, 404, 409)
  cancel(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.#cancel(caller, uuid('job', id), change, notFound('job', id));
  }

  async #cancel(caller: Caller, jobId: string, change: Change, unknown: ProblemError) {
    const job = await change(async (client) => {
      const outcome = await cancelJob(client, { teamId: caller.teamId, jobId });
      if (outcome === 'not-found') throw unknown;
      const changed = await changedJob(client, jobId);
      if (outcome === 'finished') throw new ProblemError(409, `The job is ${changed.status} already.`);
      await audit(client, caller, 'job.cancel', jobId);
      return changed;
    });
    if (job.result_ref) void notify(this.redis, { topic: 'cancel', id: job.result_ref });
    void notify(this.redis, { topic: 'job', id: jobId });
    return job;
  }

  @Post('tool-eval/estimate')
  @About(
    'Estimate a run',
    'What a run would take: requests, tokens, money and time, for each model and in all. Takes what ' +
      'a submit takes; nothing is run.',
  )
  @Answers(200, Estimate)
  async estimate(@Me() caller: Caller, @Body({ schema: RunInput }) input: RunInput) {
    const { run, suite, targets } = await this.#checked(caller, input);
    return estimateRun(this, caller.teamId, suite, run, targets);
  }

  /** What is asked for, its defaults filled in, if it can be run. */
  async #checked(caller: Caller, input: RunInput) {
    const run = {
      ...input,
      metrics: knownMetrics(input.metrics),
      cache: input.cache ?? defaultCachePolicy(input),
    };
    const suite = await namedSuite(this.pool, caller.teamId, input.suite_id);
    const targets = await resolveTargets(this.prisma, caller.teamId, input);
    await checkRun(this, caller.teamId, input, targets);
    return { run, suite, targets };
  }

  @Post('tool-eval/history/:id/resume')
  @About(
    'Resume a run',
    'Asks again what errored, and what was not asked yet; what is scored stays, and is not paid for ' +
      'again. Refused with 409 while the run goes on, or when nothing is left to ask.',
  )
  @Answers(202, Submitted, 404, 409)
  async resume(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: ResumeInput.nullish() }) input: ResumeInput | null | undefined,
    @Changes() change: Change,
  ) {
    const runId = uuid('run', id);
    await checkResume(this.pool, caller.teamId, runId);
    let lanes: string[] = [];
    const made = await change(async (client) => {
      const resumed = await resumeRun(client, { teamId: caller.teamId, userId: caller.userId, runId, ...input });
      ({ lanes } = resumed);
      await audit(client, caller, 'run.resume', runId);
      return { job_id: resumed.jobId, eval_id: runId, status: 'submitted' as const };
    });
    this.#announce(made.job_id, lanes);
    return made;
  }

  #announce(jobId: string, lanes: Iterable<string>): void {
    for (const id of lanes) void notify(this.redis, { topic: 'lane', id });
    void notify(this.redis, { topic: 'job', id: jobId });
  }
}
