import { TOKEN_COUNTS } from '#lib/contracts/token-counts';

/**
 * SQL of the rows that results are read from: the verdicts of the run itself, or those of a rescore instead. Items
 * without a verdict of the rescore are errored, or `unmatched` if the version that it scores with does not judge them:
 * such a row neither passed nor failed, and counts in no figure.
 * @param rescoreId SQL of the id of the rescore, such as `$5`
 */
export const resultTable = (rescoreId?: string): string => (rescoreId ? rescoredResults(rescoreId) : 'result');

/** SQL of the usage of the result `r`. */
export const USAGE_COLUMNS = TOKEN_COUNTS.map((name) => `r.${name}`).join(', ');

/** SQL of the usage of the row `of`, as a `Usage`: `r.prompt_tokens AS "promptTokens"`. */
export const usageColumns = (of: string): string =>
  TOKEN_COUNTS.map((name) => `${of}.${name}::float8 AS "${camelCase(name)}"`).join(', ');
const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** SQL: the version of the rescore does not judge the result `r`, whose case `m` differs there. */
const UNMATCHED = `(m.position IS NOT NULL AND (m.version_position IS NULL OR r.outcome = 'scored'))`;

const rescoredResults = (rescoreId: string): string => `(
  SELECT r.run_id, r.target, r.case_position, r.sample, r.generation, r.seq,
    CASE WHEN s.run_id IS NOT NULL THEN 'scored' WHEN ${UNMATCHED} THEN 'unmatched' ELSE 'errored' END AS outcome,
    CASE WHEN s.run_id IS NOT NULL THEN s.passed WHEN NOT ${UNMATCHED} THEN false END AS passed,
    s.tool_score, s.param_score, s.overall,
    coalesce(s.error_type, CASE WHEN ${UNMATCHED} THEN 'unmatched' ELSE 'errored' END) AS error_type,
    s.format_compliance, s.syntax, r.abstention, r.category,
    coalesce(s.called, CASE WHEN ${UNMATCHED} THEN r.called END, '[]') AS called, s.evidence, s.metrics,
    m.version_id AS scored_version, CASE WHEN s.run_id IS NOT NULL THEN m.version_position END AS scored_position,
    (SELECT scoring_version FROM rescore WHERE id = ${rescoreId}) AS scoring_version,
    r.latency_ms, ${USAGE_COLUMNS}, r.cost_usd, r.cost_reported, r.cached, r.attempts,
    CASE WHEN s.run_id IS NULL THEN r.error_kind END AS error_kind,
    CASE WHEN s.run_id IS NULL THEN r.error_message END AS error_message,
    r.tool_choice_used, r.settled_at
  FROM result r LEFT JOIN rescored s ON s.run_id = r.run_id AND s.rescore_id = ${rescoreId}
    AND s.target = r.target AND s.case_position = r.case_position AND s.sample = r.sample
  LEFT JOIN rescored_case m ON m.run_id = r.run_id AND m.rescore_id = ${rescoreId} AND m.position = r.case_position
)`;
