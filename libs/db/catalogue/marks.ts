import { KEPT, type Marked, type MarkFilters, type Marks, type MarksInput, type MarksQuery } from '#lib/contracts/kept';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Page } from '#lib/contracts/page';
import type { OwnTags } from '#lib/contracts/kept';
import type { MarkedKind } from '#lib/contracts/values/kept';
import type { Pool, PoolClient } from '../connection/pool.js';
import { takeTurn } from '../connection/take-turn.js';
import { TeamScoped } from '../team-isolation.js';
import { pageOf } from './page.js';

const NO_MARKS: Marks = { tags: [], archived: false };
const MAX_TAGS = 200;

/** The tags of a user of a team, and what their lists leave out. */
export class MarkRepository extends TeamScoped {
  constructor(
    db: Pool | PoolClient,
    teamId: string,
    readonly userId: string,
  ) {
    super(db as Pool, teamId);
  }

  /** By the id of what is marked, the newest thing first. */
  async list({ kind, limit, cursor }: MarksQuery): Promise<Page<Marked>> {
    const { rows } = await this.db.query<Omit<Marked, 'updated_at'> & { updated_at: Date }>(
      `SELECT kind, subject_id AS id, tags, archived, updated_at FROM mark
       WHERE user_id = $1 AND team_id = $2 AND ($3::text IS NULL OR kind = $3) AND ($4::uuid IS NULL OR subject_id < $4)
       ORDER BY subject_id DESC LIMIT $5`,
      [this.userId, this.teamId, kind ?? null, cursor ?? null, limit + 1],
    );
    const toMarked = (row: (typeof rows)[number]): Marked => ({ ...row, updated_at: row.updated_at.toISOString() });
    return pageOf(rows, limit, toMarked, ({ id }) => id);
  }

  /** The marks on some things of a kind, by id. */
  async of(kind: MarkedKind, ids: readonly string[]): Promise<(id: string) => Marks> {
    const { rows } = await this.db.query<Marks & { subject_id: string }>(
      `SELECT subject_id, tags, archived FROM mark
       WHERE user_id = $1 AND team_id = $2 AND kind = $3 AND subject_id = ANY ($4)`,
      [this.userId, this.teamId, kind, ids],
    );
    const marksOf = new Map(rows.map(({ subject_id: id, ...marks }) => [id, marks]));
    return (id) => marksOf.get(id) ?? NO_MARKS;
  }

  async tags(kind: MarkedKind): Promise<OwnTags> {
    const { rows } = await this.db.query<OwnTags['items'][number]>(
      `SELECT tag, count(*)::int AS count FROM mark, unnest(tags) AS tag
       WHERE user_id = $1 AND team_id = $2 AND kind = $3 GROUP BY tag ORDER BY count DESC, tag LIMIT ${MAX_TAGS}`,
      [this.userId, this.teamId, kind],
    );
    return { items: rows };
  }

  /**
   * @returns the marks before and after
   * @throws ProblemError 404 when the team has no such thing, 422 when the user has marked too many
   */
  async change(kind: MarkedKind, id: string, { tags, archived }: MarksInput): Promise<{ before: Marks; after: Marks }> {
    await takeTurn(this.db as PoolClient, 'marks', this.userId);
    // Deleting it waits for this transaction, and takes these marks along.
    const found = await this.db.query(`SELECT 1 FROM ${kind} WHERE id = $1 AND team_id = $2 FOR KEY SHARE`, [
      id,
      this.teamId,
    ]);
    if (found.rowCount === 0) throw notFound(kind, id);
    const before = (await this.of(kind, [id]))(id);
    const { rows } = await this.db.query<Marks>(
      `INSERT INTO mark (user_id, team_id, kind, subject_id, tags, archived)
       VALUES ($1, $2, $3, $4, coalesce($5::text[], '{}'), coalesce($6::boolean, false))
       ON CONFLICT (user_id, kind, subject_id) DO UPDATE
         SET tags = coalesce($5, mark.tags), archived = coalesce($6, mark.archived), updated_at = now()
       RETURNING tags, archived`,
      [this.userId, this.teamId, kind, id, tags && [...new Set(tags)].sort(), archived ?? null],
    );
    const after = rows[0]!;
    if (after.tags.length === 0 && !after.archived) await this.#forget(kind, id);
    else await this.#checkNumber();
    return { before, after };
  }

  async #forget(kind: MarkedKind, id: string): Promise<void> {
    await this.db.query('DELETE FROM mark WHERE user_id = $1 AND kind = $2 AND subject_id = $3', [
      this.userId,
      kind,
      id,
    ]);
  }

  async #checkNumber(): Promise<void> {
    const { rows } = await this.db.query<{ count: number }>(
      `SELECT count(*) FROM (SELECT FROM mark WHERE user_id = $1 LIMIT ${KEPT.marks + 1}) counted`,
      [this.userId],
    );
    if (rows[0]!.count > KEPT.marks)
      throw new ProblemError(
        422,
        `You have marked ${KEPT.marks} things, the limit. Remove tags from older ones, or delete these.`,
      );
  }
}

/**
 * SQL: whether a row of a list has the marks that its reader asks for. The placeholders are of the reader, a list of
 * tags or null, and `MarkFilters.archived`.
 * @param id the SQL of the row's id
 */
export function hasMarks(kind: MarkedKind, id: string, [user, tags, archived]: readonly string[]): string {
  const marked = (condition: string): string =>
    `EXISTS (SELECT FROM mark WHERE user_id = ${user} AND kind = '${kind}' AND subject_id = ${id} AND ${condition})`;
  return `(${tags}::text[] IS NULL OR ${marked(`tags && ${tags}`)})
    AND (${archived} = 'any' OR (${archived} = 'true') = ${marked('archived')})`;
}

/** Who reads a list. */
export interface Reader {
  userId: string;
  /** The suites that the reader's token is limited to; null for all. */
  suiteIds: readonly string[] | null;
}

/** The filters of a list, and who reads it. */
export type MarksOfReader = MarkFilters & Reader;

/** The values of the placeholders of `hasMarks`. */
export const markValues = ({ userId, tag, archived }: MarksOfReader): unknown[] => [userId, tag ?? null, archived];
