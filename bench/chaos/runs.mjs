// Runs that can be verified afterwards: whether each item was settled once, and how often its model was called.
import { until } from './deployment.mjs';

/** Submits a run with unique prompts, since the simulator counts requests by prompt. */
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

const evalIds = (runs) => runs.map(({ evalId }) => evalId);

export async function settledOf(sql, runs) {
  const counted = 'SELECT coalesce(sum(settled), 0)::int AS n FROM target WHERE run_id = ANY ($1)';
  return (await sql.query(counted, [evalIds(runs)])).rows[0].n;
}

export function completed(sql, runs, timeoutMs) {
  const ended = `SELECT 1 FROM run WHERE id = ANY ($1) AND status = 'completed'`;
  const haveAllEnded = async () => (await sql.query(ended, [evalIds(runs)])).rowCount === runs.length;
  return until(haveAllEnded, 'the runs to complete', timeoutMs);
}

/**
 * Compares a completed run with its results: one result per item, and counters, summaries and log as recounted. Returns
 * a sentence for each difference.
 */
export async function differences(sql, { name, evalId, items }, errored = 0) {
  const found = [];
  const expectSame = (what, actual, expected) => {
    if (!isClose(actual, expected)) found.push(`${name}: ${what} is ${actual}, not ${expected}`);
  };
  const run = await recountRun(sql, evalId);
  const expectations = {
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
  };
  for (const [what, expected] of Object.entries(expectations)) expectSame(what, run[what], expected);
  for (const target of await recountTargets(sql, evalId)) {
    const summary = JSON.parse(target.summary);
    const at = (what) => `${what} of target ${target.ordinal}`;
    expectSame(at('results'), target.r_settled, target.n);
    expectSame(at('cases'), target.r_cases, target.n);
    for (const what of ['settled', 'errored', 'passed']) expectSame(at(what), target[what], target[`r_${what}`]);
    expectSame(at('overall_sum'), target.overall_sum, target.r_overall);
    expectSame(at('summary.scored'), summary.scored, target.r_settled - target.r_errored);
    expectSame(at('summary.passed'), summary.passed, target.r_passed);
    expectSame(at('summary.overall'), summary.overall, target.r_overall / (target.r_settled - target.r_errored));
  }
  return found;
}

/** Floating-point sums depend on the order of addition. */
const isClose = (actual, expected) =>
  actual === expected ||
  (typeof expected === 'number' &&
    typeof actual === 'number' &&
    Math.abs(actual - expected) < 1e-9 * Math.max(1, Math.abs(expected)));

async function recountRun(sql, evalId) {
  const { rows } = await sql.query(
    `SELECT r.status, r.score, j.status AS job, j.done, j.errored, j.last_seq,
       (SELECT count(*)::int FROM result WHERE run_id = r.id) AS results,
       (SELECT count(*)::int FROM exchange WHERE run_id = r.id) AS exchanges,
       (SELECT count(*)::int FROM in_flight WHERE run_id = r.id) AS in_flight,
       (SELECT avg(overall) FROM (
          SELECT avg(overall) AS overall FROM result WHERE run_id = r.id GROUP BY target) t) AS score_recounted,
       (SELECT count(*)::int FROM job_event WHERE job_id = j.id AND name = 'job_completed') AS ends,
       l.numbers, l.distinct_numbers, l.least, l.last
     FROM run r JOIN job j ON j.id = r.job_id CROSS JOIN LATERAL (
       SELECT count(*)::int AS numbers, count(DISTINCT seq)::int AS distinct_numbers, min(seq) AS least,
         max(seq) AS last
       FROM (SELECT seq FROM result WHERE run_id = r.id UNION ALL SELECT seq FROM job_event WHERE job_id = j.id) s) l
     WHERE r.id = $1`,
    [evalId],
  );
  return rows[0];
}

async function recountTargets(sql, evalId) {
  const { rows } = await sql.query(
    `SELECT t.ordinal, t.n, t.settled, t.errored, t.passed, t.overall_sum, t.summary, r.*
     FROM target t JOIN (
       SELECT target, count(*)::int AS r_settled, count(DISTINCT case_position)::int AS r_cases,
         (count(*) FILTER (WHERE outcome = 'errored'))::int AS r_errored,
         (count(*) FILTER (WHERE passed))::int AS r_passed, coalesce(sum(overall), 0) AS r_overall
       FROM result WHERE run_id = $1 GROUP BY target) r ON r.target = t.ordinal
     WHERE t.run_id = $1`,
    [evalId],
  );
  return rows;
}

/** Number of requests beyond the first for each prompt of these runs. */
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

/** The maximum number of concurrent requests of any model of the simulator. */
export async function mostInFlight(simulatorUrl) {
  const { models } = await (await fetch(`${simulatorUrl}/control/stats?prompts=0`)).json();
  return Math.max(...Object.values(models).map((model) => model.peak_in_flight));
}
