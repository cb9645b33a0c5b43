import { notFound } from '#lib/contracts/input/problem';
import type { Label, LabelName } from '#lib/contracts/label';
import type { Page, PageQuery } from '#lib/contracts/page';
import { pageOf } from '#lib/db/catalogue/page';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import type { TeamScoped } from '#lib/db/team-isolation';
import { itemOf, resultIdOf } from '#lib/db/read/result-rows';

interface LabelRow {
  target: number;
  case_position: number;
  sample: number;
  label: LabelName;
  note: string | null;
  user_id: string;
  user_name: string;
  created_at: Date;
  updated_at: Date;
}

/** The labels that people of a team give to results of its runs. */
export class LabelRepository implements TeamScoped {
  /** @param userId the reader, whose own labels are marked */
  constructor(
    readonly db: Pool | PoolClient,
    readonly teamId: string,
    readonly userId: string,
  ) {}

  /**
   * Ordered by result, then by user.
   * @param cursor a result and a user: `0-1-0.019aa8a2-...`
   * @throws ProblemError 404 for an unknown run, and for an invalid result id
   */
  async list(
    runId: string,
    { limit, cursor, resultId }: PageQuery & { resultId?: string | undefined },
  ): Promise<Page<Label>> {
    const found = await this.db.query('SELECT 1 FROM run WHERE id = $1 AND team_id = $2', [runId, this.teamId]);
    if (!found.rowCount) throw notFound('run', runId);
    const [lastResult = '0-0-0', lastUser = BEFORE_EVERY_USER] = cursor?.split('.') ?? [];
    const values: unknown[] = [runId, this.teamId, ...itemOf(lastResult), lastUser, limit + 1];
    const only = resultId === undefined ? '' : 'AND (l.target, l.case_position, l.sample) = ($8, $9, $10)';
    const { rows } = await this.db.query<LabelRow>(
      `${SELECT} WHERE l.run_id = $1 AND l.team_id = $2
         AND (l.target, l.case_position, l.sample, l.user_id) > ($3, $4, $5, $6::uuid) ${only}
       ORDER BY l.target, l.case_position, l.sample, l.user_id LIMIT $7`,
      resultId === undefined ? values : [...values, ...itemOf(resultId)],
    );
    const cursorOf = (last: LabelRow): string => `${resultIdOf(last)}.${last.user_id}`;
    return pageOf(rows, limit, (row) => this.#toLabel(row), cursorOf);
  }

  /** The label that the user has given a result, which must exist. */
  async readOwn(runId: string, resultId: string): Promise<Label> {
    const { rows } = await this.db.query<LabelRow>(
      `${SELECT} WHERE l.run_id = $1 AND l.team_id = $2 AND l.target = $3 AND l.case_position = $4 AND l.sample = $5
         AND l.user_id = $6`,
      [runId, this.teamId, ...itemOf(resultId), this.userId],
    );
    return this.#toLabel(rows[0]!);
  }

  #toLabel(row: LabelRow): Label {
    return {
      result_id: resultIdOf(row),
      label: row.label,
      note: row.note,
      user: row.user_name,
      mine: row.user_id === this.userId,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    };
  }
}

const BEFORE_EVERY_USER = '00000000-0000-0000-0000-000000000000';
const SELECT = `
  SELECT l.target, l.case_position, l.sample, l.label, l.note, l.user_id, u.name AS user_name, l.created_at,
    l.updated_at
  FROM label l JOIN users u ON u.id = l.user_id`;
