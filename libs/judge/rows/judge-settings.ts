import type { PoolClient } from '#lib/db/connection/pool';
import { takeTurn } from '#lib/db/connection/take-turn';
import { TeamScoped } from '#lib/db/team-isolation';
import type { JudgeSetting } from '../contract.js';

/** The default judge of a team, and when it judges runs automatically. */
export class JudgeSettingRepository extends TeamScoped {
  async read(): Promise<JudgeSetting> {
    const { rows } = await this.db.query<JudgeSetting>(
      'SELECT judge, instructions, auto_below FROM judge_setting WHERE team_id = $1',
      [this.teamId],
    );
    return rows[0] ?? { judge: null, instructions: '', auto_below: 0 };
  }

  /** @returns the earlier one */
  async set({ judge, instructions, auto_below: below }: JudgeSetting): Promise<JudgeSetting> {
    await takeTurn(this.db as PoolClient, 'judge setting', this.teamId);
    const before = await this.read();
    await this.db.query(
      `INSERT INTO judge_setting (team_id, judge, instructions, auto_below) VALUES ($1, $2, $3, $4)
       ON CONFLICT (team_id) DO UPDATE SET judge = excluded.judge, instructions = excluded.instructions,
         auto_below = excluded.auto_below`,
      [this.teamId, judge, instructions, below],
    );
    return before;
  }
}
