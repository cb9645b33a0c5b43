import { ProblemError } from '#lib/contracts/input/problem';
import type { Provider, ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { RECORDED } from '#lib/contracts/recorded';
import { newId } from '#lib/runtime/ids';
import type { Sealer } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import type { Provider as ProviderRow } from '../generated/client.js';
import type { TeamScoped } from '../team-isolation.js';
import { removeIfUnused } from '../upkeep/unused-lanes.js';
import { endRest, endRestsOfRemoved } from './resting-models.js';
import { lockProvider, moveTargets, type MovedTargets } from './move-targets.js';
import { replaceModels, syncModelLanes } from '../catalogue/provider-models.js';
import { forgetLearned } from '../catalogue/learned-settings.js';
import { countNewLanes, findOrCreateLane, lanesOfProvider, syncLaneLimits } from '../catalogue/provider-lanes.js';
import type { Change } from '../audit-changes.js';
import { auditedProvider, toProvider, withModels } from '../catalogue/providers.js';
import { keepQuotas, lockQuotas } from '../catalogue/quotas.js';

/** Adds, changes and removes the providers of a team. Their keys are sealed before they are stored. */
export class ProviderChanges implements TeamScoped {
  constructor(
    readonly db: Pool | PoolClient,
    readonly teamId: string,
    readonly sealer: Sealer,
  ) {}

  /** @throws ProblemError 409 when the team has a provider with this key, or reached a quota; 422 */
  async create(input: ProviderInput): Promise<Provider> {
    if (input.key === RECORDED) throw reservedKey();
    return inTransaction(this.db, async (client) => {
      const id = newId();
      const laneId = await this.#laneOf(client, input.key, input.base_url, input.api_key);
      const { rowCount } = await client.query(
        `INSERT INTO provider (id, team_id, key, name, kind, base_url, sealed_key, key_last4, requests_per_minute,
           tokens_per_minute, max_concurrency, lane_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (team_id, key) DO NOTHING`,
        [
          id,
          this.teamId,
          input.key,
          input.name ?? input.key,
          input.kind,
          input.base_url,
          ...this.#sealed(input.api_key, id),
          input.limits.requests_per_minute,
          input.limits.tokens_per_minute,
          input.limits.max_concurrency,
          laneId,
        ],
      );
      if (rowCount === 0)
        throw new ProblemError(409, `There is a provider "${input.key}" already. Change it, or choose another key.`).as(
          'provider_exists',
          { key: input.key },
        );
      await replaceModels(client, this.sealer, { id, key: input.key, teamId: this.teamId }, input.models);
      await syncModelLanes(client, id);
      await syncLaneLimits(client, [laneId]);
      await this.#keepQuotas(client, id);
      return readProvider(client, id);
    });
  }

  /**
   * @returns undefined when the team has no such provider
   * @throws ProblemError 422 when its key would be sent to an origin for which it was not entered, 409 when the team
   *   reached its quota of lanes
   */
  async update(
    key: string,
    patch: ProviderPatch,
  ): Promise<{ provider: Provider; moved: MovedTargets; change: Change } | undefined> {
    return inTransaction(this.db, async (client) => {
      const old = await lockProvider<ProviderRow>(client, { teamId: this.teamId, key });
      if (!old) return undefined;
      const before = await auditedRow(client, old);
      refuseKeyAtOtherOrigin(old, patch);
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
      // Learned settings apply to the old host and the old format.
      const isOtherHost = new URL(patch.base_url ?? old.base_url).origin !== new URL(old.base_url).origin;
      if (isOtherHost || given(patch.kind, old.kind) !== old.kind) await forgetLearned(client, old.id);
      const isCredentialGiven = patch.base_url !== undefined || patch.api_key !== undefined;
      const laneId = isCredentialGiven ? await this.#changeCredential(client, old, patch) : old.lane_id;
      if (patch.models)
        await replaceModels(client, this.sealer, { id: old.id, key, teamId: this.teamId }, patch.models);
      const moved = await moveTargets(client, old.id);
      await syncModelLanes(client, old.id);
      await syncLaneLimits(client, [old.lane_id, laneId]);
      if (patch.models) await endRestsOfRemoved(client, old.id);
      // The requested rest does not apply to another endpoint.
      if (isCredentialGiven || patch.kind !== undefined) await endRest(client, old.id);
      await this.#keepQuotas(client, old.id, lanes);
      const provider = await readProvider(client, old.id);
      const apiKey = patch.api_key === undefined ? old.sealed_key : patch.api_key;
      return { provider, moved, change: { before, after: auditedProvider(provider, apiKey) } };
    });
  }

  /** @param before the lanes that the provider had; undefined for a new one */
  async #keepQuotas(client: PoolClient, providerId: string, before?: readonly string[]): Promise<void> {
    await lockQuotas(client, this.teamId, 'things');
    const lanes = await countNewLanes(client, { providerId, before: before ?? [] });
    await keepQuotas(client, this.teamId, { providers: before ? 0 : 1, lanes });
  }

  /** @returns the lane of the new credential */
  async #changeCredential(client: PoolClient, old: ProviderRow, patch: ProviderPatch): Promise<string> {
    // The old key is opened only if it stays: a key that can no longer be opened can be replaced.
    const apiKey =
      patch.api_key === undefined ? old.sealed_key && this.sealer.open(old.sealed_key, old.id) : patch.api_key;
    const baseUrl = patch.base_url ?? old.base_url;
    const laneId = await this.#laneOf(client, old.key, baseUrl, apiKey);
    await client.query(
      'UPDATE provider SET base_url = $2, sealed_key = $3, key_last4 = $4, lane_id = $5 WHERE id = $1',
      [old.id, baseUrl, ...this.#sealed(apiKey, old.id), laneId],
    );
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
      const before = await auditedRow(client, provider);
      await client.query('DELETE FROM provider WHERE id = $1', [provider.id]);
      await syncLaneLimits(client, [provider.lane_id]);
      await removeIfUnused(client, [provider.lane_id, ...models.rows.map(({ lane_id }) => lane_id)]);
      return { before };
    });
  }

  /**
   * The lane of a credential. A key at an origin has one set of limits at the provider, however many providers use it.
   */
  #laneOf(client: PoolClient, name: string, baseUrl: string, apiKey: string | null): Promise<string> {
    const fingerprint = this.sealer.fingerprint('credential', new URL(baseUrl).origin, apiKey ?? '');
    return findOrCreateLane(client, this.teamId, name, fingerprint);
  }

  /** The sealed key, and its last four characters if it is long enough to show them. */
  #sealed(apiKey: string | null, providerId: string): [string | null, string | null] {
    if (apiKey === null) return [null, null];
    return [this.sealer.seal(apiKey, providerId), apiKey.length >= 12 ? apiKey.slice(-4) : null];
  }
}

const auditedRow = async (client: PoolClient, row: ProviderRow) =>
  auditedProvider(toProvider((await withModels(client, [row]))[0]!, []), row.sealed_key);

/** In a patch null is a value, and an omitted field keeps the old one. */
const given = <Value>(value: Value | undefined, old: Value): Value => (value === undefined ? old : value);

/** A provider as left by the transaction that changed it. */
async function readProvider(client: PoolClient, id: string): Promise<Provider> {
  const { rows } = await client.query<ProviderRow>('SELECT * FROM provider WHERE id = $1', [id]);
  const [provider] = await withModels(client, rows);
  const { rows: ofLane } = await client.query<{ key: string }>(
    'SELECT key FROM provider WHERE lane_id = $1 ORDER BY key LIMIT 1000',
    [provider!.lane_id],
  );
  return toProvider(
    provider!,
    ofLane.map(({ key }) => key),
  );
}

const reservedKey = (): ProblemError =>
  new ProblemError(422, `"${RECORDED}" is reserved for recorded replies. Choose another key.`, [
    { path: '/key', message: 'is reserved' },
  ]);

/** Otherwise, anyone who may change an address could have the key sent to an address of their own. */
function refuseKeyAtOtherOrigin(old: ProviderRow, { api_key: apiKey, base_url: baseUrl }: ProviderPatch): void {
  if (!old.sealed_key || apiKey !== undefined || !baseUrl) return;
  const { origin } = new URL(baseUrl);
  if (origin === new URL(old.base_url).origin) return;
  throw new ProblemError(
    422,
    `The key was entered for another origin and does not move to ${origin} with the address. ` +
      'Enter the key again together with the address, or remove it if the endpoint needs none.',
    [
      {
        path: '/api_key',
        message: 'must be given with a base_url of another origin; null for an endpoint without a key',
      },
    ],
  );
}
