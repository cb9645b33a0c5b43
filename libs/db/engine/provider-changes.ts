import { ProblemError } from '#lib/contracts/input/problem';
import type { Provider, ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { RECORDED } from '#lib/contracts/recorded';
import { newId } from '#lib/runtime/ids';
import type { KeyRefs } from '#lib/runtime/key-refs';
import type { Sealer } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import type { Provider as ProviderRow } from '../generated/client.js';
import type { TeamScoped } from '../team-isolation.js';
import { removeIfUnused } from '../upkeep/unused-lanes.js';
import { endRest, endRestsOfRemoved } from './resting-models.js';
import { leaveItemsToLaterWorkers, leaveToLaterWorkers } from './leave-to-level.js';
import { lockProvider, moveTargets, type MovedTargets } from './move-targets.js';
import { AccessPlan, isAccessGiven, needsLaterWorkers, NO_ACCESS, readAccess } from './plan-access.js';
import { replaceModels, syncModelLanes } from '../catalogue/provider-models.js';
import { forgetLearned } from '../catalogue/learned-settings.js';
import { countNewLanes, findOrCreateLane, lanesOfProvider, syncLaneLimits } from '../catalogue/provider-lanes.js';
import type { Change } from '../audit-changes.js';
import { auditedProvider, toProvider, withModels, type StoredProvider } from '../catalogue/providers.js';
import { keepQuotas, lockQuotas } from '../catalogue/quotas.js';

/** Adds, changes and removes the providers of a team. Their secrets are sealed before they are stored. */
export class ProviderChanges implements TeamScoped {
  constructor(
    readonly db: Pool | PoolClient,
    readonly teamId: string,
    readonly secrets: { sealer: Sealer; keyRefs: KeyRefs },
  ) {}

  /** @throws ProblemError 409 when the team has a provider with this key, or reached a quota; 422 */
  async create(input: ProviderInput): Promise<{ provider: Provider; change: Change }> {
    if (input.key === RECORDED) throw reservedKey();
    const access = readAccess(input);
    return inTransaction(this.db, async (client) => {
      const id = newId();
      const { kind, base_url } = input;
      const plan = new AccessPlan({ id, team_id: this.teamId, kind, base_url, ...NO_ACCESS }, access, this.secrets);
      const laneId = await findOrCreateLane(client, this.teamId, input.key, plan.fingerprint());
      const row = {
        ...{ id, team_id: this.teamId, key: input.key, name: input.name ?? input.key, kind },
        ...plan.columns,
        ...input.limits,
        lane_id: laneId,
      };
      const names = Object.keys(row);
      const { rowCount } = await client.query(
        `INSERT INTO provider (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})
         ON CONFLICT (team_id, key) DO NOTHING`,
        Object.values(row),
      );
      if (rowCount === 0)
        throw new ProblemError(409, `There is a provider "${input.key}" already. Change it, or choose another key.`).as(
          'provider_exists',
          { key: input.key },
        );
      await replaceModels(client, this.secrets.sealer, { id, key: input.key, teamId: this.teamId }, input.models);
      await syncModelLanes(client, id);
      await syncLaneLimits(client, [laneId]);
      await this.#keepQuotas(client, id);
      const made = await readRow(client, id);
      return { provider: await answerOf(client, made), change: { after: audited(made) } };
    });
  }

  /**
   * @returns undefined when the team has no such provider
   * @throws ProblemError 422 when its secrets would be sent to an origin for which they were not entered, or do not fit
   *   together; 409 when the team reached its quota of lanes
   */
  async update(
    key: string,
    patch: ProviderPatch,
  ): Promise<{ provider: Provider; moved: MovedTargets; change: Change } | undefined> {
    const access = readAccess(patch);
    return inTransaction(this.db, async (client) => {
      const old = await lockProvider<ProviderRow>(client, { teamId: this.teamId, key });
      if (!old) return undefined;
      const before = audited(await withItsModels(client, old));
      const plan = new AccessPlan(old, access, this.secrets);
      const lanes = await lanesOfProvider(client, old.id);
      await client.query(
        `UPDATE provider SET name = $2, kind = $3, requests_per_minute = $4, tokens_per_minute = $5,
           max_concurrency = $6, updated_at = now() WHERE id = $1`,
        [
          old.id,
          given(patch.name, old.name),
          given(patch.kind, old.kind),
          given(patch.limits?.requests_per_minute, old.requests_per_minute),
          given(patch.limits?.tokens_per_minute, old.tokens_per_minute),
          given(patch.limits?.max_concurrency, old.max_concurrency),
        ],
      );
      // Learned settings apply to the old host and the old format. Headers may lead to another host.
      const isOtherHost = new URL(patch.base_url ?? old.base_url).origin !== new URL(old.base_url).origin;
      if (isOtherHost || plan.columns.headers !== old.headers || given(patch.kind, old.kind) !== old.kind)
        await forgetLearned(client, old.id);
      const laneId = isAccessGiven(access) ? await this.#changeAccess(client, old, plan) : old.lane_id;
      if (patch.models)
        await replaceModels(client, this.secrets.sealer, { id: old.id, key, teamId: this.teamId }, patch.models);
      const left = needsLaterWorkers(plan.columns)
        ? await leaveToLaterWorkers(client, { teamId: this.teamId, providerId: old.id })
        : [];
      const moved = await moveTargets(client, old.id);
      await leaveItemsToLaterWorkers(client, left);
      await syncModelLanes(client, old.id);
      await syncLaneLimits(client, [old.lane_id, laneId]);
      if (patch.models) await endRestsOfRemoved(client, old.id);
      // The requested rest does not apply to another endpoint.
      if (isAccessGiven(access) || patch.kind !== undefined) await endRest(client, old.id);
      await this.#keepQuotas(client, old.id, lanes);
      const changed = await readRow(client, old.id);
      return { provider: await answerOf(client, changed), moved, change: { before, after: audited(changed) } };
    });
  }

  /** @param before the lanes that the provider had; undefined for a new one */
  async #keepQuotas(client: PoolClient, providerId: string, before?: readonly string[]): Promise<void> {
    await lockQuotas(client, this.teamId, 'things');
    const lanes = await countNewLanes(client, { providerId, before: before ?? [] });
    await keepQuotas(client, this.teamId, { providers: before ? 0 : 1, lanes });
  }

  /** @returns the lane of the new credential */
  async #changeAccess(client: PoolClient, old: ProviderRow, plan: AccessPlan): Promise<string> {
    const laneId = await findOrCreateLane(client, this.teamId, old.key, plan.fingerprint());
    const row = { ...plan.columns, lane_id: laneId };
    const columns = Object.keys(row).map((name, index) => `${name} = $${index + 2}`);
    await client.query(`UPDATE provider SET ${columns.join(', ')} WHERE id = $1`, [old.id, ...Object.values(row)]);
    return laneId;
  }

  /** @returns what was there */
  async delete(key: string): Promise<Change | 'in-use' | 'not-found'> {
    return inTransaction(this.db, async (client) => {
      const provider = await lockProvider<ProviderRow>(client, { teamId: this.teamId, key });
      if (!provider) return 'not-found';
      const models = await client.query<{ lane_id: string }>(
        'SELECT lane_id FROM model WHERE provider_id = $1 AND lane_id IS NOT NULL',
        [provider.id],
      );
      const used = await client.query(
        `SELECT 1 FROM target t JOIN run r ON r.id = t.run_id WHERE t.provider_id = $1
          AND r.status IN ('pending', 'queued', 'running') LIMIT 1`,
        [provider.id],
      );
      if (used.rowCount) return 'in-use';
      const before = audited(await withItsModels(client, provider));
      await client.query('DELETE FROM provider WHERE id = $1', [provider.id]);
      await syncLaneLimits(client, [provider.lane_id]);
      await removeIfUnused(client, [provider.lane_id, ...models.rows.map(({ lane_id }) => lane_id)]);
      return { before };
    });
  }
}

const audited = (row: StoredProvider) => auditedProvider(toProvider(row, []), row);

/** In a patch null is a value, and an omitted field keeps the old one. */
const given = <Value>(value: Value | undefined, old: Value): Value => (value === undefined ? old : value);

const withItsModels = async (client: PoolClient, row: ProviderRow): Promise<StoredProvider> =>
  (await withModels(client, [row]))[0]!;

/** A provider as left by the transaction that changed it. */
async function readRow(client: PoolClient, id: string): Promise<StoredProvider> {
  const { rows } = await client.query<ProviderRow>('SELECT * FROM provider WHERE id = $1', [id]);
  return withItsModels(client, rows[0]!);
}

async function answerOf(client: PoolClient, row: StoredProvider): Promise<Provider> {
  const { rows } = await client.query<{ key: string }>(
    'SELECT key FROM provider WHERE lane_id = $1 ORDER BY key LIMIT 1000',
    [row.lane_id],
  );
  return toProvider(
    row,
    rows.map(({ key }) => key),
  );
}

const reservedKey = (): ProblemError =>
  new ProblemError(422, `"${RECORDED}" is reserved for recorded replies. Choose another key.`, [
    { path: '/key', message: 'is reserved' },
  ]);
