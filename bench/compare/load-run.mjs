// Finished runs, written straight into Postgres in their settled state.

/**
 * A run whose samples pass with this probability, by a hash of case and sample; in every fifth case also of the run.
 */
export async function loadRun({ call, sql, suiteId, model, cases, samples }, chance) {
  const { eval_id: evalId } = await call('POST', '/api/tool-eval', {
    suite_id: suiteId,
    models: [model],
    samples,
    cache: 'off',
  });
  await sql.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, tool_score,
       param_score, overall, error_type, format_compliance, abstention, category, called, evidence, scoring_version,
       latency_ms, prompt_tokens, completion_tokens, cost_usd, attempts, tool_choice_used)
     SELECT $1, 0, c, s, 1, 1 + c * $3 + s, 'scored', good, 1, CASE WHEN good THEN 1 ELSE 0 END,
       CASE WHEN good THEN 1 ELSE 0.6 END, CASE WHEN good THEN 'none' ELSE 'wrong_argument' END, 'native', false,
       'category ' || c % 10,
       '[{"name":"get_weather","arguments":{"city":"city ' || c || '","units":"celsius"}}]',
       '{"pairs":[{"called":0,"expected":0,"param_score":1,"arguments":[{"path":"/city","rule":"exact",'
         '"verdict":"match","expected":"city ' || c || '","actual":"city ' || c ||
         '"}]}],"missing":[],"unexpected":[]}',
       3, 100 + (c * 7 + s * 13) % 900, 300, 20, 0.0001, 1, 'required'
     FROM generate_series(0, $2 - 1) c CROSS JOIN generate_series(0, $3 - 1) s CROSS JOIN LATERAL (
       SELECT (hashtext(c || '-' || s || CASE WHEN c % 5 = 0 THEN $5 ELSE '' END) & 1023) < 1024 * $4::float8 AS good
     ) chance`,
    [evalId, cases, samples, chance, evalId],
  );
  await sql.query(
    `UPDATE target SET n = $2, settled = $2, cursor = n, active = false, finished_at = now(), summary = $3
     WHERE run_id = $1`,
    [evalId, cases * samples, JSON.stringify(summaryOf(chance, cases * samples))],
  );
  await sql.query(`UPDATE run SET status = 'completed', score = $2, finished_at = now() WHERE id = $1`, [
    evalId,
    chance,
  ]);
  await sql.query(
    `UPDATE job SET status = 'completed', finished_at = now(), done = total WHERE result_ref = $1::text`,
    [evalId],
  );
  return evalId;
}

function summaryOf(overall, scored) {
  return {
    overall,
    scored,
    by_category: {},
    latency_ms: { p50: 550, p95: 955 },
    usage: { prompt_tokens: 300, completion_tokens: 20 },
    cost_usd: null,
  };
}
