import type { Pool, PoolClient } from '../connection/pool.js';

/** SQL of a query: the suites of the parent `o`, an orchestration. A report on two runs has those of both. */
const SUITES_OF_PARENT = `
  SELECT g.suite_id FROM gate g WHERE g.id = o.subject_id
  UNION ALL SELECT judged.suite_id FROM judge_report p JOIN run judged ON judged.id IN (p.run_id, p.baseline_id)
    WHERE p.id = o.id
  UNION ALL SELECT (o.input::json #>> '{suite,id}')::uuid WHERE o.type IN ('param_tune', 'prompt_tune')`;

/** SQL of a query: the suites of the job `j`. */
export const SUITES_OF_JOB = `
  SELECT r.suite_id FROM run r WHERE j.type = 'tool_eval' AND r.id = j.result_ref::uuid
  UNION ALL SELECT r.suite_id FROM rescore s JOIN run r ON r.id = s.run_id WHERE j.type = 'rescore' AND s.job_id = j.id
  UNION ALL SELECT of_parent.suite_id FROM orchestration o CROSS JOIN LATERAL (${SUITES_OF_PARENT}) of_parent
    WHERE j.type NOT IN ('tool_eval', 'rescore') AND o.id = j.result_ref::uuid`;

/** SQL: the query has rows, and all of them are suites of the list. */
const isWithin = (suites: string, list: string): string =>
  `(SELECT bool_and(coalesce(within.suite_id = ANY (${list}::uuid[]), false)) FROM (${suites}) within (suite_id))`;

/** SQL: a token that is limited to the suites of a list may see the job `j`; so may everybody if the list is null. */
export const isJobWithin = (list: string): string => `(${list}::uuid[] IS NULL OR ${isWithin(SUITES_OF_JOB, list)})`;

/** SQL: the same of the orchestration `o`. */
export const isParentWithin = (list: string): string =>
  `(${list}::uuid[] IS NULL OR ${isWithin(SUITES_OF_PARENT, list)})`;

/** SQL: the same of a row with a suite. */
export const isOfSuites = (suiteId: string, list: string): string =>
  `(${list}::uuid[] IS NULL OR ${suiteId} = ANY (${list}))`;

/** Each kind of thing that belongs to suites, as a query of the suites of the thing with the id `named.id`. */
const KINDS = [
  'SELECT id FROM suite WHERE id = named.id AND team_id = $1',
  'SELECT suite_id FROM run WHERE id = named.id AND team_id = $1',
  'SELECT suite_id FROM experiment WHERE id = named.id AND team_id = $1',
  'SELECT suite_id FROM gate WHERE id = named.id AND team_id = $1',
  'SELECT suite_id FROM prompt_version WHERE id = named.id AND team_id = $1',
  `SELECT r.suite_id FROM rescore s JOIN run r ON r.id = s.run_id WHERE s.id = named.id AND s.team_id = $1`,
  `SELECT of_parent.suite_id FROM orchestration o LEFT JOIN LATERAL (${SUITES_OF_PARENT}) of_parent ON true
    WHERE o.id = named.id AND o.team_id = $1`,
  `SELECT of_job.suite_id FROM job j LEFT JOIN LATERAL (${SUITES_OF_JOB}) of_job ON true
    WHERE j.id = named.id AND j.team_id = $1`,
];

/** Whether all of these suites are in a list, and there is one; a thing without any is in no list. */
export const areWithin = (suites: readonly (string | null)[] | undefined, list: readonly string[]): boolean =>
  suites !== undefined && suites.length > 0 && suites.every((suite) => suite !== null && list.includes(suite));

/**
 * The suites that ids of a team belong to, whatever they are ids of: a suite, a run, an experiment, a gate, a gate run,
 * a tune, a report, a job, a rescore or a prompt version. Null is the suite of a thing that has none any more. Ids of
 * other things, and unknown ones, have no entry.
 */
export async function findSuitesOf(
  db: Pool | PoolClient,
  teamId: string,
  ids: readonly string[],
): Promise<Map<string, (string | null)[]>> {
  const { rows } = await db.query<{ id: string; suites: (string | null)[] }>({
    name: 'suites_of_named',
    text: `SELECT named.id, array_agg(found.suite_id) AS suites
      FROM unnest($2::uuid[]) AS named (id) CROSS JOIN LATERAL (
        ${KINDS.join('\n        UNION ALL ')}
      ) found (suite_id) GROUP BY named.id`,
    values: [teamId, ids],
  });
  return new Map(rows.map(({ id, suites }) => [id, suites]));
}

/** The names of those of these suites that the team has, in alphabetical order. */
export async function namesOfSuites(db: Pool | PoolClient, teamId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    'SELECT name FROM suite WHERE team_id = $1 AND id = ANY ($2) ORDER BY name, id',
    [teamId, ids],
  );
  return rows.map(({ name }) => name);
}
