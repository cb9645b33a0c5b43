// Runs of which it can be told afterwards whether each item was settled once, and how often its model was asked.
import { until } from './deployment.mjs';

/** A run whose every case asks something that no other run asks: the simulator counts by prompt. */
export async function submitRun(call, { name, models, cases, ...more }) {
  const suite = await call('GET', '/api/tool-eval/import/example');
  suite.name = name;
  suite.test_cases = Array.from({ length: cases }, (_, n) => ({
    prompt: `What is the weather in Paris? (${name} ${n})`,
    expected_tool: 'get_weather',
    expected_params: { city: 'Paris' },
  }));
  const { suite_id } = await call('POST', '/api/tool-eval/import', suite);
  const { job_id: jobId, eval_id: evalId } = await call('POST', '/api/tool-eval', { suite_id, models, ...more });
  return { name, jobId, evalId, items: cases * models.length };
}

export const settledOf = async (sql, runs) =>
  (
    await sql.query('SELECT coalesce(sum(settled), 0)::int AS n FROM target WHERE run_id = ANY ($1)', [
      runs.map((run) => run.evalId),
    ])
  ).rows[0].n;

export const completed = (sql, runs, timeoutMs) =>
  until(
    async () =>
      (
        await sql.query(`SELECT 1 FROM run WHERE id = ANY ($1) AND status = 'completed'`, [
          runs.map((run) => run.evalId),
        ])
      ).rowCount === runs.length,
    'the runs to complete',
    timeoutMs,
  );

/**
 * What is not as it must be after a completed run; empty when all is: a result per item, and counters, summaries
 * and log as recounted.
 */
export async function differences(sql, { name, evalId, items }, errored = 0) {
  const {
    rows: [run],
  } = await sql.query(
    `SELECT r.status, r.score, j.status AS job, j.done, j.errored, j.last_seq,
       (SELECT count(*)::int FROM result WHERE run_id = r.id) AS results, (SELECT count(*)::int FROM exchange
         WHERE run_id = r.id) AS exchanges,
       (SELECT count(*)::int FROM in_flight WHERE run_id = r.id) AS in_flight,
       (SELECT avg(overall) FROM (SELECT avg(overall) AS overall FROM result WHERE run_id = r.id
         GROUP BY target) t) AS score_recounted,
       (SELECT count(*)::int FROM job_event WHERE job_id = j.id
         AND name = 'job_completed') AS ends, l.numbers, l.distinct_numbers, l.least, l.last
     FROM run r JOIN job j ON j.id = r.job_id CROSS JOIN LATERAL (
       SELECT count(*)::int AS numbers, count(DISTINCT seq)::int AS distinct_numbers, min(seq) AS least, max(seq) AS
         last
       FROM (SELECT seq FROM result WHERE run_id = r.id UNION ALL SELECT seq FROM job_event WHERE job_id = j.id) s) l
     WHERE r.id = $1`,
    [evalId],
  );
  const { rows: targets } = await sql.query(
    `SELECT t.ordinal, t.n, t.settled, t.errored, t.passed, t.overall_sum, t.summary, r.*
     FROM target t JOIN (SELECT target, count(*)::int AS r_settled, count(DISTINCT case_position)::int AS r_cases,
       (count(*) FILTER (WHERE outcome = 'errored'))::int AS r_errored,
       (count(*) FILTER (WHERE passed))::int AS r_passed, coalesce(sum(overall), 0) AS r_overall FROM result
         WHERE run_id = $1 GROUP BY target) r ON r.target = t.ordinal WHERE t.run_id = $1`,
    [evalId],
  );
  const found = [];
  const same = (what, actual, expected) => {
    const close =
      typeof expected === 'number' &&
      typeof actual === 'number' &&
      Math.abs(actual - expected) < 1e-9 * Math.max(1, Math.abs(expected));
    if (!close && actual !== expected) found.push(`${name}: ${what} is ${actual}, not ${expected}`);
  };
  for (const [what, expected] of Object.entries({
    status: 'completed',
    job: 'completed',
    results: items,
    exchanges: items,
    done: items,
    in_flight: 0,
    ends: 1,
    errored,
    score: run.score_recounted,
    distinct_numbers: run.last_seq,
    numbers: run.last_seq,
    least: 1,
    last: run.last_seq,
  }))
    same(what, run[what], expected);
  for (const target of targets) {
    const summary = JSON.parse(target.summary);
    const at = (what) => `${what} of target ${target.ordinal}`;
    same(at('results'), target.r_settled, target.n);
    same(at('cases'), target.r_cases, target.n);
    for (const what of ['settled', 'errored', 'passed']) same(at(what), target[what], target[`r_${what}`]);
    same(at('overall_sum'), target.overall_sum, target.r_overall);
    same(at('summary.scored'), summary.scored, target.r_settled - target.r_errored);
    same(at('summary.passed'), summary.passed, target.r_passed);
    same(at('summary.overall'), summary.overall, target.r_overall / (target.r_settled - target.r_errored));
  }
  return found;
}

/** How many requests were made for each of these prompts beyond the first. */
export async function repeatedRequests(simulatorUrl, runs) {
  const { models } = await (await fetch(`${simulatorUrl}/control/stats?prompts=1`)).json();
  const names = runs.map((run) => `(${run.name} `);
  let repeated = 0;
  for (const { prompts } of Object.values(models)) {
    for (const [prompt, count] of Object.entries(prompts))
      if (names.some((name) => prompt.includes(name))) repeated += count - 1;
  }
  return repeated;
}

/** The most requests that any model of the simulator had in flight. */
export async function mostInFlight(simulatorUrl) {
  const { models } = await (await fetch(`${simulatorUrl}/control/stats?prompts=0`)).json();
  return Math.max(...Object.values(models).map((model) => model.peak_in_flight));
}
