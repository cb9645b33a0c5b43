import { suggestNames } from '#lib/contracts/input/nearest-names';
import { ProblemError } from '#lib/contracts/input/problem';
import type { CacheSetting, EmbeddingSetting, JobsSetting, Spending } from '#lib/contracts/settings';
import { spentThisMonth } from './spending.js';
import { TeamScoped } from '../team-isolation.js';
import { embeddingCosts } from './embedding-model.js';

/** Maximum number of the team's models that an unknown model is compared with. */
const MAX_COMPARED = 1000;

/**
 * The settings of a team: its embedding model, the lifetime of cached replies, the number of concurrent jobs per user,
 * and its monthly cap.
 */
export class SettingsRepository extends TeamScoped {
  /** Makes changes of the team's settings follow each other, so that the audit knows what was there before. */
  async lock(): Promise<void> {
    await this.db.query('SELECT 1 FROM team WHERE id = $1 FOR NO KEY UPDATE', [this.teamId]);
  }

  async readEmbedding(): Promise<EmbeddingSetting> {
    const { rows } = await this.db.query<{ provider_key: string; model_id: string }>(
      `SELECT p.key AS provider_key, e.model_id FROM embedding_model e JOIN provider p ON p.id = e.provider_id
        WHERE e.team_id = $1`,
      [this.teamId],
    );
    return rows[0] ?? { provider_key: null, model_id: null };
  }

  /** @returns what was set before @throws ProblemError 422 when the team has no such model */
  async setEmbedding({ provider_key: key, model_id: modelId }: EmbeddingSetting): Promise<EmbeddingSetting> {
    // Lock order of deleting a provider: the provider first, then this setting, then the team.
    if (key !== null)
      await this.db.query('SELECT 1 FROM provider WHERE team_id = $1 AND key = $2 FOR KEY SHARE', [this.teamId, key]);
    await this.db.query(`SELECT pg_advisory_xact_lock(hashtext('embedding model'), hashtext($1))`, [this.teamId]);
    const before = await this.readEmbedding();
    if (key === null) {
      await this.db.query('DELETE FROM embedding_model WHERE team_id = $1', [this.teamId]);
      return before;
    }
    const { rowCount } = await this.db.query(
      `INSERT INTO embedding_model (team_id, provider_id, model_id)
       SELECT $1, p.id, m.model_id FROM provider p JOIN model m ON m.provider_id = p.id
         WHERE p.team_id = $1 AND p.key = $2 AND m.model_id = $3
       ON CONFLICT (team_id) DO UPDATE SET provider_id = excluded.provider_id, model_id = excluded.model_id`,
      [this.teamId, key, modelId],
    );
    if (rowCount === 0) throw await this.#unknownModel(`${key}::${modelId}`);
    return before;
  }

  async #unknownModel(name: string): Promise<ProblemError> {
    const { rows } = await this.db.query<{ name: string }>(
      `SELECT p.key || '::' || m.model_id AS name FROM provider p JOIN model m ON m.provider_id = p.id
        WHERE p.team_id = $1 ORDER BY name LIMIT ${MAX_COMPARED}`,
      [this.teamId],
    );
    const nearest = suggestNames(
      name,
      rows.map((row) => row.name),
      'the models of the team',
    );
    return new ProblemError(422, `No model "${name}". ${nearest}`, [
      { path: '/model_id', message: 'is not a model of this provider' },
    ]).as('unknown_model', { model: name });
  }

  /** Whether semantic comparison has a known cost for the team. */
  async embeddingCosts(): Promise<boolean> {
    const { rows } = await this.db.query<{ costs: boolean }>(`SELECT ${embeddingCosts('$1')} AS costs`, [this.teamId]);
    return rows[0]!.costs;
  }

  async readCache(): Promise<CacheSetting> {
    const { rows } = await this.db.query<CacheSetting>(
      `SELECT t.cache_days AS lifetime_days, c.entries, c.bytes FROM team t CROSS JOIN LATERAL (
         SELECT coalesce(sum(entries), 0)::bigint AS entries, coalesce(sum(bytes), 0)::bigint AS bytes
         FROM cache_size WHERE team_id = t.id
       ) c WHERE t.id = $1`,
      [this.teamId],
    );
    return rows[0]!;
  }

  async setCacheLifetime(days: number): Promise<void> {
    await this.db.query('UPDATE team SET cache_days = $2 WHERE id = $1', [this.teamId, days]);
  }

  async readJobs(): Promise<JobsSetting> {
    const { rows } = await this.db.query<JobsSetting>('SELECT running_jobs_per_user FROM team WHERE id = $1', [
      this.teamId,
    ]);
    return rows[0]!;
  }

  /** Sets how many jobs of a user may run at once. Lowering the limit does not stop running jobs. */
  async setRunningJobs(limit: number): Promise<void> {
    await this.db.query('UPDATE team SET running_jobs_per_user = $2 WHERE id = $1', [this.teamId, limit]);
  }

  async readSpending(): Promise<Spending> {
    const { rows } = await this.db.query<Spending>(
      `SELECT monthly_cap_usd, ${spentThisMonth('team.id')} AS spent_usd,
         to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month FROM team WHERE id = $1`,
      [this.teamId],
    );
    return rows[0]!;
  }

  async setMonthlyCap(usd: number | null): Promise<void> {
    await this.db.query('UPDATE team SET monthly_cap_usd = $2 WHERE id = $1', [this.teamId, usd]);
  }
}
