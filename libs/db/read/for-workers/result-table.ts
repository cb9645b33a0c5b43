import { TOKEN_COUNTS } from '#lib/contracts/token-counts';

/**
 * SQL of the rows that results are read from: the verdicts of the run itself, or those of a rescore instead. Items
 * without a verdict of the rescore are errored.
 * @param rescoreId SQL of the id of the rescore, such as `$5`
 */
export const resultTable = (rescoreId?: string): string => (rescoreId ? rescoredResults(rescoreId) : 'result');

/** SQL of the usage of the result `r`. */
export const USAGE_COLUMNS = TOKEN_COUNTS.map((name) => `r.${name}`).join(', ');

/** SQL of the usage of the row `of`, as a `Usage`: `r.prompt_tokens AS "promptTokens"`. */
export const usageColumns = (of: string): string =>
  TOKEN_COUNTS.map((name) => `${of}.${name}::float8 AS "${camelCase(name)}"`).join(', ');
const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const rescoredResults = (rescoreId: string): string => `(
  SELECT r.run_id, r.target, r.case_position, r.sample, r.generation, r.seq,
    CASE WHEN s.run_id IS NULL THEN 'errored' ELSE 'scored' END AS outcome,
    coalesce(s.passed, false) AS passed, s.tool_score, s.param_score, s.overall,
    coalesce(s.error_type, 'errored') AS error_type, s.format_compliance, s.syntax, r.abstention, r.category,
    coalesce(s.called, '[]') AS called, s.evidence, s.metrics,
    (SELECT scoring_version FROM rescore WHERE id = ${rescoreId}) AS scoring_version,
    r.latency_ms, ${USAGE_COLUMNS}, r.cost_usd, r.cost_reported, r.cached, r.attempts,
    CASE WHEN s.run_id IS NULL THEN r.error_kind END AS error_kind,
    CASE WHEN s.run_id IS NULL THEN r.error_message END AS error_message,
    r.tool_choice_used, r.settled_at
  FROM result r LEFT JOIN rescored s ON s.run_id = r.run_id AND s.rescore_id = ${rescoreId}
    AND s.target = r.target AND s.case_position = r.case_position AND s.sample = r.sample
)`;
