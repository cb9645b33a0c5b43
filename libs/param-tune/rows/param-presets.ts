import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { parseJson } from '#lib/contracts/json/json';
import type { Page, PageQuery } from '#lib/contracts/page';
import { newId } from '#lib/runtime/ids';
import { TeamScoped } from '#lib/db/team-isolation';
import { toPage } from '#lib/db/catalogue/page';
import type { ParamPreset, ParamPresetInput } from '../contract.js';

interface PresetRow {
  id: string;
  name: string;
  search_space: string;
  created_at: Date;
}

/** The saved search spaces of a team. */
export class ParamPresetRepository extends TeamScoped {
  /** Newest first. */
  async list({ limit, cursor }: PageQuery): Promise<Page<ParamPreset>> {
    const { rows } = await this.db.query<PresetRow>(
      `SELECT id, name, search_space, created_at FROM param_preset
       WHERE team_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [this.teamId, cursor ?? null, limit + 1],
    );
    return toPage(rows.map(toPreset), limit);
  }

  /** @throws ProblemError 409 when another preset has its name */
  async create({ name, search_space }: ParamPresetInput): Promise<ParamPreset> {
    const { rows } = await this.db.query<PresetRow>(
      `INSERT INTO param_preset (id, team_id, name, search_space) VALUES ($1, $2, $3, $4)
       ON CONFLICT (team_id, name) DO NOTHING RETURNING id, name, search_space, created_at`,
      [newId(), this.teamId, name, JSON.stringify(search_space)],
    );
    if (!rows[0])
      throw new ProblemError(409, `There is a preset "${name}" already. Delete it first or use another name.`);
    return toPreset(rows[0]);
  }

  /** @returns what it was @throws ProblemError 404 */
  async delete(id: string): Promise<ParamPresetInput> {
    const { rows } = await this.db.query<PresetRow>(
      'DELETE FROM param_preset WHERE id = $1 AND team_id = $2 RETURNING name, search_space',
      [id, this.teamId],
    );
    if (!rows[0]) throw notFound('preset', id);
    return toInput(rows[0]);
  }
}

const toInput = ({ name, search_space }: PresetRow): ParamPresetInput => ({
  name,
  search_space: parseJson(search_space) as ParamPreset['search_space'],
});
const toPreset = (row: PresetRow): ParamPreset => ({
  id: row.id,
  ...toInput(row),
  created_at: row.created_at.toISOString(),
});
