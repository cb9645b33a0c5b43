-- A transaction of its own, which holds no lock on the table.
-- The newest look of each gate. Postgres refuses to read JSON with U+0000 or half a surrogate pair, which names of cases
-- may have: the escapes are replaced, and only results and sentences are read.
UPDATE gate SET last_answer_at = look.created_at, last_answer = json_build_object(
  'result', look.answer ->> 'result',
  'text', left(look.answer ->> 'text', 300),
  'version', look.gate_version,
  'eval_id', look.run_id,
  'gate_run_id', NULL,
  'worst', NULL
)::text
FROM (
  SELECT DISTINCT ON (gate_id) gate_id, gate_version, run_id, created_at, replace(answer, '\u', '/u')::json AS answer
  FROM gate_look ORDER BY gate_id, created_at DESC
) look
WHERE look.gate_id = gate.id;
