// Runs of a million results (10 models, 1,000 cases, 100 samples), written straight into Postgres in their settled
// state.
import pg from 'pg';

export const MODELS = 10;
const [CASES, SAMPLES] = [1000, 100];
export const A_RUN = MODELS * CASES * SAMPLES;
/** The summary of each target, whose name replaces "@". */
const SUMMARY = JSON.stringify({
  target: '@',
  cases: CASES,
  scored: CASES * SAMPLES,
  errored: 0,
  passed: CASES * SAMPLES,
  tool_accuracy: 1,
  param_accuracy: 1,
  overall: 1,
  overall_ci: [0.998, 1],
  ci_method: 't_pseudo_cases',
  pass_rate: 1,
  pass_rate_ci: [0.998, 1],
  pass_at_k: [],
  pass_hat_k: [],
  irrelevance_accuracy: null,
  metrics: {},
  format_counts: { native: CASES * SAMPLES },
  error_counts: { none: CASES * SAMPLES },
  tool_choice_used: { required: CASES * SAMPLES },
  by_category: {},
  latency_ms: { p50: 250, p95: 250 },
  usage: { prompt_tokens: 300, completion_tokens: 20 },
  cost_usd: null,
  cached: { results: 0, prompt_tokens: 0, completion_tokens: 0 },
});

/** Every thousandth item failed, and one in a hundred thousand errored, spread over the run. */
const RARE_FAILURES = {
  fate: 'i % 100000 = 77 AS is_errored, i % 1000 = 77 AS has_failed',
  error_type: `'wrong_argument'`,
  overall: '1',
  called: `'[{"name":"get_weather","arguments":{"city":"x"}}]'`,
  evidence: `'{"pairs":[{"called":0,"expected":0,"param_score":1,"arguments":[]}],"missing":[],"unexpected":[]}'`,
  latency: '250',
};
/** A third failed, in every way, with the evidence of such results; models differ. */
export const MANY_FAILURES = {
  fate: `hashint4(i) % 500 = 7 AS is_errored, abs(hashint4(i)) % (3 + i / ${CASES * SAMPLES}) = 0 AS has_failed`,
  error_type: `(ARRAY['wrong_argument', 'wrong_tool', 'no_call', 'missing_argument'])[1 + i / ${SAMPLES} % 4]`,
  overall: `CASE WHEN has_failed THEN abs(hashint4(i)) % 10 / 10.0 ELSE 1 END`,
  called: `CASE WHEN has_failed AND i / ${SAMPLES} % 4 = 1 THEN '[{"name":"get_forecast","arguments":{"city":"x"}}]'
    WHEN has_failed AND i / ${SAMPLES} % 4 = 2 THEN '[]'
    ELSE '[{"name":"get_weather","arguments":{"city":"x","units":"celsius"}}]' END`,
  evidence: `'{"pairs":[{"called":0,"expected":0,"param_score":0.5,"arguments":[{"path":"/city","rule":"exact",' ||
    '"expected":"x","verdict":"match","actual":"x"},{"path":"/units","rule":"exact","expected":"fahrenheit",' ||
    '"verdict":"' || CASE WHEN has_failed THEN 'mismatch' ELSE 'match' END || '","actual":"celsius"}]}],' ||
    '"missing":[],"unexpected":[]}'`,
  latency: '100 + abs(hashint4(i)) % 5000',
};

/** Submits a run and settles its million items. @returns its id, and how long the submit took */
export async function runOfAMillion({ call, sql, suiteId, models, become = RARE_FAILURES }) {
  const submitted = performance.now();
  const { eval_id: evalId } = await call('POST', '/api/tool-eval', {
    suite_id: suiteId,
    models: models.map((id) => `sim::${id}`),
    samples: SAMPLES,
  });
  const submitMs = performance.now() - submitted;
  await settleAll(sql, evalId, become);
  return { evalId, submitMs };
}

/**
 * Rescores a run: different verdicts of the same replies, in the state of a rescore before it is counted.
 * @returns its id
 */
export async function rescoreOfAMillion({ call, sql, evalId }) {
  const { rescore_id: id, job_id: jobId } = await call('POST', `/api/tool-eval/history/${evalId}/rescore`, {
    pass_threshold: 0.5,
  });
  await sql.query(
    `INSERT INTO rescored (run_id, rescore_id, target, case_position, sample, passed, tool_score, param_score, overall,
       error_type, format_compliance, called, evidence)
     SELECT run_id, $2, target, case_position, sample, overall >= 0.5, tool_score, param_score, overall, error_type,
       format_compliance, called, evidence
     FROM result WHERE run_id = $1 AND outcome = 'scored'`,
    [evalId, id],
  );
  await sql.query(`UPDATE job SET status = 'completed', finished_at = now(), done = total WHERE id = $1`, [jobId]);
  return id;
}

/** A connection that loads results as a worker of the newest level, without waiting for the disk. */
export async function openLoader(databaseUrl) {
  const sql = new pg.Client({ connectionString: databaseUrl, options: '-c toolmark.worker_level=99' });
  sql.on('error', () => {});
  await sql.connect();
  await sql.query(`SET synchronous_commit = off`);
  return sql;
}

async function settleAll(sql, evalId, become) {
  await sql.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq,
       outcome, passed, tool_score, param_score, overall,
       error_type, format_compliance, abstention, category,
       called,
       evidence,
       scoring_version, latency_ms, prompt_tokens, completion_tokens, attempts,
       error_kind, error_message, tool_choice_used)
     SELECT $1, i / ${CASES * SAMPLES}, i / ${SAMPLES} % ${CASES}, i % ${SAMPLES}, 1, i + 2,
       CASE WHEN is_errored THEN 'errored' ELSE 'scored' END, NOT has_failed AND NOT is_errored, 1, 1,
       CASE WHEN NOT is_errored THEN ${become.overall} END,
       CASE WHEN is_errored THEN 'errored' WHEN has_failed THEN ${become.error_type} ELSE 'none' END,
       CASE WHEN NOT is_errored THEN 'native' END, false, c.category,
       CASE WHEN is_errored THEN '[]' ELSE ${become.called} END,
       CASE WHEN NOT is_errored THEN ${become.evidence} END,
       1, ${become.latency}, 300, 20, 1,
       CASE WHEN is_errored THEN 'timeout' END, CASE WHEN is_errored THEN 'No answer within 120 s.' END, 'required'
     FROM generate_series(0, ${A_RUN - 1}) AS i
       JOIN suite_version_case c ON c.version_id = (SELECT suite_version_id FROM run WHERE id = $1)
         AND c.position = i / ${SAMPLES} % ${CASES},
       LATERAL (SELECT ${become.fate}) AS fate`,
    [evalId],
  );
  await sql.query(
    `UPDATE target SET cursor = n, settled = n, active = false, finished_at = now(), passed = n - n / 1000,
       overall_sum = n,
       summary = replace($2, '"@"', to_json(provider_key || '::' || model_id)::text)
     WHERE run_id = $1`,
    [evalId, SUMMARY],
  );
  await sql.query(`UPDATE run SET status = 'completed', finished_at = now(), score = 1 WHERE id = $1`, [evalId]);
  await sql.query(
    `UPDATE job SET status = 'completed', finished_at = now(), done = total, last_seq = total + 2
     WHERE result_ref = $1::text`,
    [evalId],
  );
}

/** Durations of sequential requests. */
export async function measure(call, path, requests) {
  const times = [];
  for (let n = 0; n < requests; n++) {
    const started = performance.now();
    await call('GET', path);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return (share) => times[Math.ceil(share * times.length) - 1].toFixed(1).padStart(6);
}
