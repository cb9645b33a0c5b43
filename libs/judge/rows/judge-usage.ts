import type { Pool } from '#lib/db/connection/pool';

/** Tokens of one request to a judge, on average. */
export interface JudgeUsage {
  promptTokens: number;
  completionTokens: number;
}

/** Reports, newest first, whose judgements say what a request of the judge takes. */
const LAST_REPORTS = 3;

/** @returns undefined for a judge that has judged nothing yet */
export async function readJudgeUsage(pool: Pool, teamId: string, judge: string): Promise<JudgeUsage | undefined> {
  const { rows } = await pool.query<{ [Name in keyof JudgeUsage]: number | null }>(
    `SELECT avg(j.prompt_tokens::float8 / last.requests) AS "promptTokens",
       avg(j.completion_tokens::float8 / last.requests) AS "completionTokens"
     FROM (
       SELECT r.id, CASE WHEN r.baseline_id IS NULL THEN 1 ELSE 2 END
         * greatest(1, (o.input::json #>> '{asked,samples}')::int) AS requests
       FROM judge_report r JOIN orchestration o ON o.id = r.id
       WHERE r.team_id = $1 AND r.judge = $2 ORDER BY r.id DESC LIMIT ${LAST_REPORTS}
     ) last JOIN judgement j ON j.report_id = last.id
     WHERE j.state = 'judged' AND j.prompt_tokens > 0`,
    [teamId, judge],
  );
  const { promptTokens, completionTokens } = rows[0]!;
  return promptTokens === null || completionTokens === null ? undefined : { promptTokens, completionTokens };
}
