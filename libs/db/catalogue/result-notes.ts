import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { NOTES, type ResultNote } from '#lib/contracts/result-note';
import type { PoolClient } from '../connection/pool.js';
import { HAS_NO_DELETED_PARENT } from '../made-by.js';
import { takeTurn } from '../connection/take-turn.js';
import { TeamScoped } from '../team-isolation.js';

/** The place of a result in its run. */
interface Place {
  target: number;
  case_position: number;
  sample: number;
}

/** The notes of a team on results of its runs: one on each. */
export class ResultNoteRepository extends TeamScoped<PoolClient> {
  /**
   * In place of the earlier note, whoever wrote it.
   * @returns the note, and the text of the earlier one; undefined for an unknown result
   * @throws ProblemError 404 for an unknown run, 422 when the run has too many notes
   */
  async write(
    runId: string,
    { target, case_position: position, sample }: Place,
    { text, userId }: { text: string; userId: string },
  ): Promise<{ note: ResultNote; before: string | null } | undefined> {
    await this.#keepRun(runId, userId);
    const { rows } = await this.db.query<{ updated_at: Date; name: string; before: string | null }>(
      `WITH earlier AS (
         SELECT text FROM result_note WHERE run_id = $1 AND target = $2 AND case_position = $3 AND sample = $4
       ), stored AS (
         INSERT INTO result_note (run_id, target, case_position, sample, team_id, user_id, text)
         SELECT run_id, target, case_position, sample, $5, $6, $7 FROM result
         WHERE run_id = $1 AND target = $2 AND case_position = $3 AND sample = $4
         ON CONFLICT (run_id, target, case_position, sample) DO UPDATE
           SET text = excluded.text, user_id = excluded.user_id, updated_at = now()
         RETURNING user_id, updated_at
       ) SELECT s.updated_at, u.name, (SELECT text FROM earlier) AS before
       FROM stored s JOIN users u ON u.id = s.user_id`,
      [runId, target, position, sample, this.teamId, userId, text],
    );
    if (!rows[0]) return undefined;
    await this.#checkNumber(runId);
    const { name: user, updated_at: at, before } = rows[0];
    return { note: { text, user, updated_at: at.toISOString() }, before };
  }

  /** @returns its text; undefined if there was none @throws ProblemError 404 for an unknown run */
  async remove(
    runId: string,
    { target, case_position: position, sample }: Place,
    userId: string,
  ): Promise<string | undefined> {
    await this.#keepRun(runId, userId);
    const { rows } = await this.db.query<{ text: string }>(
      `DELETE FROM result_note
       WHERE run_id = $1 AND team_id = $2 AND target = $3 AND case_position = $4 AND sample = $5 RETURNING text`,
      [runId, this.teamId, target, position, sample],
    );
    return rows[0]?.text;
  }

  /**
   * Lets one after another write notes on the run. Locks the user, whom a note names, and the run against deletion
   * meanwhile, which would leave notes behind.
   * @throws ProblemError 404
   */
  async #keepRun(runId: string, userId: string): Promise<void> {
    await takeTurn(this.db, 'notes', runId);
    await this.db.query('SELECT 1 FROM users WHERE id = $1 FOR KEY SHARE', [userId]);
    const { rowCount } = await this.db.query(
      `SELECT 1 FROM run r WHERE id = $1 AND team_id = $2 AND ${HAS_NO_DELETED_PARENT} FOR KEY SHARE OF r`,
      [runId, this.teamId],
    );
    if (!rowCount) throw notFound('run', runId);
  }

  async #checkNumber(runId: string): Promise<void> {
    const { rows } = await this.db.query<{ count: number }>(
      `SELECT count(*)::int FROM (SELECT FROM result_note WHERE run_id = $1 LIMIT ${NOTES.inRun + 1}) counted`,
      [runId],
    );
    if (rows[0]!.count > NOTES.inRun)
      throw new ProblemError(
        422,
        `The run has ${NOTES.inRun.toLocaleString('en')} notes, the limit. Remove some of them first.`,
      );
  }
}
