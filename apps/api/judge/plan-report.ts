import { pairTargets } from '#lib/comparison/pair-targets';
import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/values/jobs';
import { MAX_JUDGED, type JudgeInput } from '#lib/judge/contract';
import type { Pool } from '#lib/db/connection/pool';
import { countFailures, readJudgeableRun, type JudgeableRun } from '#lib/judge/rows/judgeable-run';

/** The validated subject of a report. */
export interface PlannedReport {
  run: JudgeableRun;
  baseline: JudgeableRun | null;
  /** Number of requests if all goes well; 0 when it is unknown before the report begins. */
  requests: number;
}

/** @throws ProblemError 422 when there is nothing to judge, or too much; 409 for a run that has not ended */
export async function planReport(pool: Pool, teamId: string, input: JudgeInput): Promise<PlannedReport> {
  if (input.eval_id === undefined) return planComparison(pool, teamId, input);
  const run = await find(pool, teamId, input.eval_id, '/eval_id');
  const items = await countItems(pool, teamId, run, input);
  return { run, baseline: null, requests: items * input.samples + 1 };
}

async function countItems(pool: Pool, teamId: string, run: JudgeableRun, input: JudgeInput): Promise<number> {
  if (run.scored === 0) throw refused('/eval_id', 'The run has no scored result: there is nothing to judge.');
  if (input.which === 'sample') return Math.min(input.sample_size, run.scored);
  const count =
    input.which === 'all'
      ? run.scored
      : await countFailures(pool, teamId, run.id, { below: input.below, most: MAX_JUDGED });
  if (count === 0)
    throw refused(
      '/which',
      'No result of the run is below that: all passed or scored higher. Judge all results, or a sample.',
    );
  if (count > MAX_JUDGED)
    throw refused(
      '/which',
      `The run has more than ${MAX_JUDGED} such results, the most that a report judges. Judge a sample ` + 'instead.',
    );
  return count;
}

async function planComparison(pool: Pool, teamId: string, input: JudgeInput): Promise<PlannedReport> {
  if (input.a === input.b) throw refused('/b', 'Both are the same run: there is nothing to compare.');
  const baseline = await find(pool, teamId, input.a!, '/a');
  const run = await find(pool, teamId, input.b!, '/b');
  if (pairTargets(baseline.targets, run.targets).pairs.length === 0)
    throw refused('/b', 'The runs have no model in common, and more than one each, so there is no pair to compare.');
  return { run, baseline, requests: 0 };
}

async function find(pool: Pool, teamId: string, id: string, path: string): Promise<JudgeableRun> {
  const run = await readJudgeableRun(pool, teamId, id);
  if (!run) throw refused(path, `No run with id "${id}" in this team.`);
  if (isFinished(run.status)) return run;
  throw new ProblemError(
    409,
    `The run is ${run.status}. It can be judged when it has ended. To have runs judged while they go on, choose a ` +
      'judge when you submit them.',
  ).as('run_unfinished', { run_id: run.id, status: run.status });
}

const refused = (path: string, message: string): ProblemError => new ProblemError(422, message, [{ path, message }]);
