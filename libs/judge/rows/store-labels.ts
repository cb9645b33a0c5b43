import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { LabelName } from '#lib/contracts/label';
import { BatchColumns } from '#lib/db/connection/batch-columns';
import type { PoolClient } from '#lib/db/connection/pool';
import { takeTurn } from '#lib/db/connection/take-turn';
import { HAS_NO_DELETED_PARENT } from '#lib/db/made-by';
import { itemOf, type Item } from '#lib/db/read/result-rows';

/** What a label says. */
interface GivenText {
  label: LabelName;
  note: string | null;
}

/** A user's label of a result. */
export interface GivenLabel extends Item, GivenText {}

/** The user who labels, and the run. */
export interface Labeller {
  teamId: string;
  userId: string;
  runId: string;
}

/** Why a result cannot be labelled: it does not exist, or it has no reply. */
export type WhyNot = 'missing' | 'errored';

const GIVEN = new BatchColumns<GivenLabel>({
  target: ['smallint', ({ target }) => target],
  case_position: ['int', (given) => given.case_position],
  sample: ['smallint', ({ sample }) => sample],
  label: ['text', ({ label }) => label],
  note: ['text', ({ note }) => note],
});

/** Stores a label of a user. @returns the earlier one, or why it was not stored @throws ProblemError 404 */
export async function storeLabel(
  client: PoolClient,
  labeller: Labeller,
  given: GivenLabel,
): Promise<{ before: GivenText | undefined; whyNot: WhyNot | undefined }> {
  await keepRun(client, labeller);
  const { target, case_position: position, sample } = given;
  const { rows } = await client.query<GivenText>(
    `SELECT label, note FROM label
     WHERE run_id = $1 AND user_id = $2 AND target = $3 AND case_position = $4 AND sample = $5`,
    [labeller.runId, labeller.userId, target, position, sample],
  );
  return { before: rows[0], whyNot: (await insertLabels(client, labeller, [given])).get(0) };
}

/**
 * Stores labels of a user, all or none, replacing the user's earlier labels of the same results. No result may occur
 * twice.
 * @returns why nothing was stored, by the index of the label; empty on success
 * @throws ProblemError 404 for an unknown run
 */
export async function storeLabels(
  client: PoolClient,
  labeller: Labeller,
  given: readonly GivenLabel[],
): Promise<Map<number, WhyNot>> {
  await keepRun(client, labeller);
  return insertLabels(client, labeller, given);
}

async function insertLabels(
  client: PoolClient,
  { teamId, userId, runId }: Labeller,
  given: readonly GivenLabel[],
): Promise<Map<number, WhyNot>> {
  const values = GIVEN.values(given);
  const { rows } = await client.query<{ n: number; outcome: string | null }>(
    `SELECT (u.n - 1)::int AS n, r.outcome FROM ${GIVEN.unnest(2, 'n')}
       LEFT JOIN result r ON r.run_id = $1 AND r.target = u.target AND r.case_position = u.case_position
         AND r.sample = u.sample
     WHERE r.outcome IS DISTINCT FROM 'scored' ORDER BY u.n`,
    [runId, ...values],
  );
  if (rows.length > 0)
    return new Map(rows.map(({ n, outcome }) => [n, outcome === null ? 'missing' : 'errored'] as const));
  await client.query(
    `INSERT INTO label (run_id, user_id, team_id, ${GIVEN.names}) SELECT $1, $2, $3, ${GIVEN.names}
     FROM ${GIVEN.unnest(4)} ORDER BY target, case_position, sample
     ON CONFLICT (run_id, target, case_position, sample, user_id) DO UPDATE
       SET label = excluded.label, note = excluded.note, updated_at = now()
       WHERE (label.label, label.note) IS DISTINCT FROM (excluded.label, excluded.note)`,
    [runId, userId, teamId, ...values],
  );
  return new Map();
}

/**
 * Deletes a user's label.
 * @returns what it was
 * @throws ProblemError 404 for an unknown run or result, and when the user has not labelled it
 */
export async function deleteLabel(
  client: PoolClient,
  { teamId, userId, runId }: Labeller,
  resultId: string,
): Promise<GivenText> {
  await keepRun(client, { teamId, userId, runId });
  const { rows } = await client.query<GivenText>(
    `DELETE FROM label
     WHERE run_id = $1 AND team_id = $2 AND user_id = $3 AND target = $4 AND case_position = $5 AND sample = $6
     RETURNING label, note`,
    [runId, teamId, userId, ...itemOf(resultId)],
  );
  if (!rows[0]) throw new ProblemError(404, `You have no label on the result "${resultId}".`);
  return rows[0];
}

/**
 * Lets the user's requests label the run one after another. Locks the user, whom the labels refer to, and the run
 * against deletion in the meantime, which would leave labels behind.
 * @throws ProblemError 404
 */
async function keepRun(client: PoolClient, { teamId, userId, runId }: Labeller): Promise<void> {
  await takeTurn(client, 'labels', `${userId} ${runId}`);
  await client.query('SELECT 1 FROM users WHERE id = $1 FOR KEY SHARE', [userId]);
  const { rowCount } = await client.query(
    `SELECT 1 FROM run r WHERE id = $1 AND team_id = $2 AND ${HAS_NO_DELETED_PARENT} FOR KEY SHARE OF r`,
    [runId, teamId],
  );
  if (!rowCount) throw notFound('run', runId);
}
