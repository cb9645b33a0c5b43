import {
  NO_CALL,
  type CountedCase,
  type CountedFailure,
  type CountedResults,
  type TopValues,
} from '#lib/contracts/counted';
import { CASE_PAGE } from '../../catalogue/case-pages.js';
import { longQuery, type Pool } from '../../connection/pool.js';
import { CALLED_NAME, readableJson } from '../case-measurements.js';
import { EXPECTED_LABELS } from '../expected-tool.js';
import { MISSED } from '../missed-figures.js';
import { beginningOf, PROMPT_CHARACTERS } from '../lean-result.js';
import { parseCase } from '../pinned-cases.js';
import { promptOf } from '../result-rows.js';
import { scoringIdOf, type Scoring } from '../run-figures.js';
import { resultTable } from './result-table.js';
import { scoredCases, scoredVersion } from './scored-cases.js';

/** A run as read for counting. */
export interface CountableRun {
  id: string;
  /** The rescore whose verdicts are counted instead of the run's own. */
  rescoreId: string | undefined;
  generation: number;
  versionId: string;
  /** The models, in the order of their ordinals. */
  targets: { ordinal: number; name: string }[];
}

/** Undefined when the run is gone, or already counted. */
export async function readCountableRun(pool: Pool, scoring: Scoring): Promise<CountableRun | undefined> {
  const { rows } = await pool.query<
    Omit<CountableRun, 'targets' | 'rescoreId'> & { ordinals: number[]; names: string[] }
  >(
    `SELECT r.id, r.generation, r.suite_version_id AS "versionId",
       array_agg(t.ordinal::int ORDER BY t.ordinal) AS ordinals,
       array_agg(t.provider_key || '::' || t.model_id ORDER BY t.ordinal) AS names
     FROM run r JOIN target t ON t.run_id = r.id JOIN run_figures f ON f.run_id = r.id AND f.scoring_id = $2
     WHERE r.id = $1 AND f.generation = r.generation AND f.counted_at IS NULL GROUP BY r.id`,
    [scoring.runId, scoringIdOf(scoring)],
  );
  const run = rows[0];
  if (!run) return undefined;
  const { ordinals, names, ...rest } = run;
  return {
    ...rest,
    rescoreId: scoring.rescoreId,
    targets: ordinals.map((ordinal, index) => ({ ordinal, name: names[index]! })),
  };
}

/** The cases as they are scored. @param parameters of the version, the run and the rescore */
const scoredBy = ({ rescoreId }: Pick<CountableRun, 'rescoreId'>, version: string, run: string, id: string) => ({
  version,
  rescore: rescoreId === undefined ? undefined : { run, id },
});
const idsOf = ({ id, rescoreId }: CountableRun): string[] => (rescoreId === undefined ? [] : [id, rescoreId]);

/** Maximum number of results that a statement counts. */
const COUNTED_AT_ONCE = 100_000;

/** Number of results of each case, by position. Counted in batches, because a run may have millions. */
export async function countResultsByCase(
  pool: Pool,
  { id, targets }: CountableRun,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const { ordinal } of targets) {
    for (let from = 0; ;) {
      signal.throwIfAborted();
      const { rows } = await longQuery<{ position: number; n: number }>(
        pool,
        `SELECT case_position AS position, count(*)::int AS n FROM (
           SELECT case_position FROM result WHERE run_id = $1 AND target = $2 AND case_position >= $3
           ORDER BY case_position LIMIT $4
         ) piece GROUP BY 1`,
        [id, ordinal, from, COUNTED_AT_ONCE],
      );
      const last = Math.max(...rows.map(({ position }) => position));
      const isWhole = rows.reduce((sum, { n }) => sum + n, 0) < COUNTED_AT_ONCE;
      // The last case of a batch may continue after it. A case has fewer samples than the size of a batch.
      for (const { position, n } of rows)
        if (isWhole || position < last) counts.set(position, (counts.get(position) ?? 0) + n);
      if (isWhole) break;
      from = last;
    }
  }
  return counts;
}

/** SQL of a facet's values of the cases `c`. */
const VALUES = { expected: EXPECTED_LABELS, category: 'ARRAY[c.category]', tag: 'c.tags' };
/** Maximum number of characters of a value, the same as for the value of a filter. */
const MAX_VALUE = 1000;

/** The values with the most results through their cases. Postgres counts them, because there may be millions. */
export async function topValues(
  pool: Pool,
  run: CountableRun,
  facet: keyof typeof VALUES,
  results: ReadonlyMap<number, number>,
  most: number,
): Promise<TopValues> {
  const { rows } = await longQuery<{ value: string; distinct: number }>(
    pool,
    `SELECT value, count(*) OVER ()::int AS distinct
     FROM unnest($2::int[], $3::int[]) AS u (position, n)
       JOIN ${scoredCases(scoredBy(run, '$1', '$4', '$5'))} c ON c.judged AND c.position = u.position,
       LATERAL (SELECT DISTINCT unnest(${VALUES[facet]}) AS value) v
     WHERE length(value) <= ${MAX_VALUE}
     GROUP BY value ORDER BY sum(u.n) DESC, value LIMIT ${most}`,
    [run.versionId, [...results.keys()], [...results.values()], ...idsOf(run)],
  );
  return { values: rows.map(({ value }) => value), others: (rows[0]?.distinct ?? 0) - rows.length };
}

/** The names of the tools of a suite version: in lower case, and as the suite has them. */
export async function suiteToolNames(pool: Pool, run: CountableRun): Promise<{ name: string; shown: string }[]> {
  const { rows } = await pool.query<{ name: string; shown: string }>(
    `SELECT lower(shown) AS name, shown FROM (
       SELECT tool #>> '{function,name}' AS shown
       FROM suite_version v, json_array_elements(${readableJson('v.tools')}) tool
       WHERE v.id = ${scoredVersion(scoredBy(run, '$1', '$2', '$2'))}
     ) tools WHERE shown IS NOT NULL`,
    [run.versionId, ...(run.rescoreId === undefined ? [] : [run.rescoreId])],
  );
  return rows;
}

/** Names lower-cased by Postgres, for comparison with the names of called tools. */
export async function lowered(pool: Pool, names: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT lower(name) AS name FROM unnest($1::text[]) WITH ORDINALITY AS u (name, n) ORDER BY n',
    [names],
  );
  return rows.map(({ name }) => name);
}

interface CaseRow {
  position: number;
  case_id: string;
  category: string | null;
  tags: string[];
  expected: string[];
  accepted: string[];
  body: string;
}

/** The cases of a run that have results, page by page, however large they are. */
export async function* casesToCount(
  pool: Pool,
  run: CountableRun,
  results: ReadonlyMap<number, number>,
): AsyncGenerator<CountedCase[]> {
  const positions = [...results.keys()].sort((a, b) => a - b);
  for (let next = 0; next < positions.length;) {
    const wanted = positions.slice(next, next + CASE_PAGE.cases);
    const { rows } = await pool.query<CaseRow>(
      `SELECT c.position, c.case_id, c.category, c.tags, labels.expected,
         ARRAY(SELECT lower(label) FROM unnest(labels.expected) label) AS accepted, c.body
       FROM (
         SELECT position, sum(octet_length(body)) OVER (ORDER BY position) - octet_length(body) AS before
         FROM suite_version_case WHERE version_id = $1 AND position = ANY ($2)
       ) fitting JOIN ${scoredCases(scoredBy(run, '$1', '$3', '$4'))} c ON c.position = fitting.position,
         LATERAL (SELECT ${EXPECTED_LABELS} AS expected OFFSET 0) labels
       WHERE fitting.before < ${CASE_PAGE.bytes} ORDER BY c.position`,
      [run.versionId, wanted, ...idsOf(run)],
    );
    if (rows.length === 0) return;
    yield rows.map(toCase);
    next += rows.length;
  }
}

function toCase({ position, case_id: caseId, category, tags, expected, accepted, body }: CaseRow): CountedCase {
  const input = parseCase(body);
  return {
    position,
    caseId,
    name: input.name ?? null,
    prompt: beginningOf(promptOf(input), PROMPT_CHARACTERS),
    category,
    tags: [...new Set(tags)],
    expected: [...new Set(expected)],
    accepted: new Set(accepted),
  };
}

/** Maximum number of results read at a time, unless a case has more. */
const READ_AT_ONCE = 5_000;

/** Groups cases in order, so that the results of a group can be read at a time. */
export function* readTogether(
  cases: readonly CountedCase[],
  results: ReadonlyMap<number, number>,
): Generator<CountedCase[]> {
  let [together, n]: [CountedCase[], number] = [[], 0];
  for (const one of cases) {
    const more = results.get(one.position)!;
    if (n > 0 && n + more > READ_AT_ONCE) {
      yield together;
      [together, n] = [[], 0];
    }
    together.push(one);
    n += more;
  }
  if (n > 0) yield together;
}

/** Number of characters of the evidence that are read to find the first wrong argument. */
const EVIDENCE_CHARACTERS = 4_000;
/** Maximum number of characters of a called tool's name. The longest one that a suite has is shorter. */
const MAX_NAME = 200;

const COUNTED = `r.target::int, r.case_position AS position, r.outcome = 'scored' AS scored, r.passed,
  r.error_type AS "errorType", r.error_kind AS "errorKind", r.format_compliance AS format, r.syntax, r.category,
  r.overall, CASE WHEN r.outcome <> 'scored' THEN NULL WHEN r.called = '[]' THEN '${NO_CALL}'
    ELSE coalesce(nullif(left(${CALLED_NAME}, ${MAX_NAME}), ''), '?') END AS called,
  width_bucket(r.latency_ms, $3::int[]) - 1 AS "latencyBin"`;

/**
 * The results of some cases to be counted. Passed ones are grouped; each of the others is a row.
 * @param latencies lower bounds of the latency bins
 */
export async function resultsToCount(
  pool: Pool,
  { id, rescoreId, targets }: CountableRun,
  cases: readonly CountedCase[],
  latencies: readonly number[],
): Promise<{ passed: CountedResults[]; failures: CountedFailure[] }> {
  const values = [
    ...[id, cases.map(({ position }) => position), latencies, targets.map(({ ordinal }) => ordinal)],
    ...(rescoreId ? [rescoreId] : []),
  ];
  const where = `FROM ${resultTable(rescoreId && '$5')} r
    WHERE r.run_id = $1 AND r.target = ANY ($4) AND r.case_position = ANY ($2)`;
  const passed = await pool.query<CountedResults>(
    `SELECT ${COUNTED}, count(*)::int AS n ${where} AND r.passed GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`,
    values,
  );
  const failures = await pool.query<CountedFailure>(
    `SELECT ${COUNTED}, 1 AS n, r.sample::int,
       CASE WHEN r.outcome = 'scored' THEN left(r.evidence, ${EVIDENCE_CHARACTERS}) END AS evidence,
       ${MISSED} AS missed
     ${where} AND NOT r.passed`,
    values,
  );
  return { passed: passed.rows, failures: failures.rows };
}
