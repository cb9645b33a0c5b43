import { JudgeInput, type JudgeReport } from '#lib/contracts/judge';
import type { JudgeOfRun } from '#lib/contracts/judge-of-run';
import type { PoolClient } from '../connection/pool.js';
import { submitReport } from './judge-reports.js';

// A run may have itself judged, and a team may have runs judged that score little. Both happen once a run: `asked_by`
// of a report is unique. The job of an inline report is submitted with the run and follows it; other reports are
// submitted by the transaction that finishes the run, so that none is forgotten whatever dies.

interface Asking {
  teamId: string;
  userId: string;
  runId: string;
  experimentId: string | null;
  source: JudgeReport['source'];
  /** `provider_key::model_id` */
  judge: string;
  below: number;
  instructions: string;
}

/** @returns the job of the report; undefined when the run had itself judged before */
export async function askByRun(
  client: PoolClient,
  { runId, judge, below, instructions, ...of }: Asking,
): Promise<string | undefined> {
  const report = await submitReport(client, {
    ...of,
    asked: JudgeInput.parse({ eval_id: runId, judge, below, instructions }),
    judge,
    runId,
    baselineId: null,
    askedBy: runId,
    planned: 0,
  });
  return report?.jobId;
}

interface FinishedRun {
  team_id: string;
  user_id: string;
  experiment_id: string | null;
  score: number | null;
  own: string | null;
  judge: string | null;
  instructions: string | null;
  auto_below: number | null;
  failed: number;
}

/**
 * Has a run judged that has just ended, where it asks for that, or where its team does. Runs that a parent made, and
 * samples that were added to a run, are judged only where somebody asks.
 */
export async function judgeFinishedRun(client: PoolClient, runId: string): Promise<string | undefined> {
  const { rows } = await client.query<FinishedRun>(
    `SELECT r.team_id, r.user_id, r.experiment_id, r.score, r.config::json ->> 'judge' AS own,
       s.judge, s.instructions, s.auto_below,
       (SELECT sum(settled - errored - passed)::int FROM target WHERE run_id = r.id) AS failed
     FROM run r LEFT JOIN judge_setting s ON s.team_id = r.team_id
     WHERE r.id = $1 AND r.orchestration_id IS NULL AND r.extends_run_id IS NULL
       AND NOT EXISTS (SELECT 1 FROM judge_report p WHERE p.asked_by = r.id)`,
    [runId],
  );
  const run = rows[0];
  if (!run || run.failed === 0) return undefined;
  const of = { teamId: run.team_id, userId: run.user_id, runId, experimentId: run.experiment_id };
  const instructions = run.instructions ?? '';
  const own = run.own === null ? null : (JSON.parse(run.own) as JudgeOfRun);
  if (own?.when === 'inline') return undefined;
  if (own)
    return own.below > 0 && own.judge !== null
      ? askByRun(client, { ...of, instructions, source: 'after', judge: own.judge, below: own.below })
      : undefined;
  const { judge, auto_below: below, score } = run;
  if (judge === null || below === null || below === 0 || score === null || score >= below) return undefined;
  return askByRun(client, { ...of, instructions, source: 'auto', judge, below: 1 });
}
