import type { View, ViewInput } from '#lib/contracts/kept';
import type { ViewList } from '#lib/contracts/values/kept';
import type { Pool, PoolClient } from '../connection/pool.js';
import { takeTurn } from '../connection/take-turn.js';
import { TeamScoped } from '../team-isolation.js';

const EMPTY: ViewInput = { filters: {}, order: null, columns: null, hidden: [] };

/** The views of lists that a user of a team keeps. */
export class KeptViewRepository extends TeamScoped {
  constructor(
    db: Pool | PoolClient,
    teamId: string,
    readonly userId: string,
  ) {
    super(db as Pool, teamId);
  }

  async read(list: ViewList): Promise<View> {
    const { rows } = await this.db.query<{ value: string; updated_at: Date }>(
      'SELECT value, updated_at FROM kept_view WHERE user_id = $1 AND team_id = $2 AND list = $3',
      [this.userId, this.teamId, list],
    );
    const view = rows[0];
    return {
      ...EMPTY,
      ...(view && (JSON.parse(view.value) as ViewInput)),
      list,
      updated_at: view?.updated_at.toISOString() ?? null,
    };
  }

  /** @returns it, and the earlier one */
  async write(list: ViewList, view: ViewInput): Promise<{ before: ViewInput; kept: View }> {
    await takeTurn(this.db as PoolClient, 'views', this.userId);
    const { list: _list, updated_at: _at, ...before } = await this.read(list);
    await this.db.query(
      `INSERT INTO kept_view (user_id, team_id, list, value) VALUES ($1, $2, $3, $4)
       ON CONFLICT (user_id, list) DO UPDATE SET value = excluded.value, updated_at = now()`,
      [this.userId, this.teamId, list, JSON.stringify(view)],
    );
    return { before, kept: await this.read(list) };
  }
}
