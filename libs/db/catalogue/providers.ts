import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { insteadOf } from '#lib/contracts/input/nearest';
import type { Page } from '#lib/contracts/page';
import { ProblemError } from '#lib/contracts/problem';
import type { Limits, Provider, ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { RECORDED } from '#lib/contracts/recorded';
import { newId } from '#lib/runtime/ids';
import type { Sealer } from '#lib/runtime/seal';
import { SUSPECT_CRASHES } from '../engine/claim-items.js';
import type { Model as ModelRow, Provider as ProviderRow } from '../generated/client.js';
import { removeIfUnused } from '../upkeep/unused-lanes.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import type { Prisma } from '../connection/prisma.js';
import { WAITING_FOR } from '../engine/set-wait-reason.js';

export async function listProviders(
  prisma: Prisma,
  teamId: string,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Provider>> {
  const rows = await prisma.provider.findMany({
    where: { team_id: teamId, ...(cursor && { id: { lt: cursor } }) },
    include: { models: { orderBy: { position: 'asc' } } },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return { items: rows.slice(0, limit).map(toProvider), next_cursor: rows.length > limit ? rows[limit - 1]!.id : null };
}

export type StoredProvider = ProviderRow & { models: ModelRow[] };

export async function findProvider(
  pool: Pool | PoolClient,
  teamId: string,
  key: string,
): Promise<StoredProvider | undefined> {
  const {
    rows: [provider],
  } = await pool.query<ProviderRow>('SELECT * FROM provider WHERE team_id = $1 AND key = $2', [teamId, key]);
  if (!provider) return undefined;
  const { rows: models } = await pool.query<ModelRow>('SELECT * FROM model WHERE provider_id = $1 ORDER BY position', [
    provider.id,
  ]);
  return { ...provider, models };
}

export function toProvider(row: StoredProvider): Provider {
  return {
    key: row.key,
    name: row.name,
    kind: row.kind,
    base_url: row.base_url,
    api_key_set: row.sealed_key !== null,
    api_key_last4: row.key_last4,
    limits: {
      requests_per_minute: row.requests_per_minute,
      tokens_per_minute: row.tokens_per_minute,
      max_concurrency: row.max_concurrency,
    },
    models: row.models.map((model) => ({
      id: model.model_id,
      name: model.name,
      input_cost_per_mtok: model.input_cost_per_mtok,
      output_cost_per_mtok: model.output_cost_per_mtok,
      unsupported_params: model.unsupported_params,
      default_params: parseJson(model.default_params) as JsonObject,
      limits: model.limits === null ? null : (JSON.parse(model.limits) as Limits),
    })),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The 404 for a key that no provider of the team has, with those that are written most like it. */
export async function unknownProvider(pool: Pool | PoolClient, teamId: string, key: string): Promise<ProblemError> {
  const { rows } = await pool.query<{ key: string }>(
    'SELECT key FROM provider WHERE team_id = $1 ORDER BY key LIMIT 1000',
    [teamId],
  );
  return new ProblemError(
    404,
    `No provider "${key}" in this team. ${insteadOf(
      key,
      rows.map((row) => row.key),
      'its providers',
    )}`,
  );
}

export async function createProvider(
  pool: Pool | PoolClient,
  sealer: Sealer,
  teamId: string,
  input: ProviderInput,
): Promise<void> {
  if (input.key === RECORDED) throw reserved();
  await inTransaction(pool, async (client) => {
    const id = newId();
    const laneId = await laneOf(client, teamId, input.key, credential(sealer, input.base_url, input.api_key));
    const made = await client.query(
      `INSERT INTO provider (id, team_id, key, name, kind, base_url, sealed_key, key_last4, requests_per_minute,
        tokens_per_minute, max_concurrency, lane_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (team_id, key) DO NOTHING`,
      [
        id,
        teamId,
        input.key,
        input.name ?? input.key,
        input.kind,
        input.base_url,
        ...sealed(sealer, input.api_key, id),
        input.limits.requests_per_minute,
        input.limits.tokens_per_minute,
        input.limits.max_concurrency,
        laneId,
      ],
    );
    if (made.rowCount === 0)
      throw new ProblemError(
        409,
        `There is a provider "${input.key}" already. Change it with PATCH /api/providers/${input.key}.`,
      );
    await replaceModels(client, sealer, teamId, id, input.key, input.models);
    await syncLanes(client, [laneId]);
  });
}

/** What a change of a provider has moved: to where, and whose jobs it concerns. */
export interface Moved {
  lanes: string[];
  jobs: string[];
}

/**
 * @returns undefined when there is no such provider
 * @throws ProblemError 422 when its key would go to an origin for which nobody entered it
 */
export async function updateProvider(
  pool: Pool | PoolClient,
  sealer: Sealer,
  teamId: string,
  key: string,
  patch: ProviderPatch,
): Promise<Moved | undefined> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{
      id: string;
      kind: string;
      base_url: string;
      sealed_key: string | null;
      lane_id: string;
    }>('SELECT id, kind, base_url, sealed_key, lane_id FROM provider WHERE team_id = $1 AND key = $2 FOR UPDATE', [
      teamId,
      key,
    ]);
    const old = rows[0];
    if (!old) return undefined;
    if (
      old.sealed_key &&
      patch.api_key === undefined &&
      patch.base_url &&
      new URL(patch.base_url).origin !== new URL(old.base_url).origin
    )
      throw keyOfAnotherOrigin(patch.base_url);
    const set = async (column: string, value: unknown): Promise<void> =>
      void (await client.query(`UPDATE provider SET ${column} = $2 WHERE id = $1`, [old.id, value]));
    if (patch.name !== undefined) await set('name', patch.name);
    if (patch.kind !== undefined && patch.kind !== old.kind) {
      await set('kind', patch.kind);
      // That "required" is refused was learned of the endpoint of the old format.
      await client.query('UPDATE model SET refuses_required = false WHERE provider_id = $1', [old.id]);
    }
    for (const limit of ['requests_per_minute', 'tokens_per_minute', 'max_concurrency'] as const) {
      if (patch.limits?.[limit] !== undefined) await set(limit, patch.limits[limit]);
    }
    let laneId = old.lane_id;
    if (patch.base_url !== undefined || patch.api_key !== undefined) {
      const apiKey =
        patch.api_key !== undefined ? patch.api_key : old.sealed_key && sealer.open(old.sealed_key, old.id);
      const baseUrl = patch.base_url ?? old.base_url;
      laneId = await laneOf(client, teamId, key, credential(sealer, baseUrl, apiKey));
      const [sealedKey, last4] = sealed(sealer, apiKey, old.id);
      await client.query(
        'UPDATE provider SET base_url = $2, sealed_key = $3, key_last4 = $4, lane_id = $5 WHERE id = $1',
        [old.id, baseUrl, sealedKey, last4, laneId],
      );
    }
    if (patch.models) await replaceModels(client, sealer, teamId, old.id, key, patch.models);
    await client.query('UPDATE provider SET updated_at = now() WHERE id = $1', [old.id]);
    await syncLanes(client, [old.lane_id, laneId]);
    return moveTargets(client, old.id);
  });
}

/**
 * Keeps providers as they are until the transaction ends, so that a change of one finds the targets that are made
 * meanwhile. Locked after the user and before targets.
 * @param ids SQL of them
 */
export async function holdProviders(client: PoolClient, ids: string, values: unknown[]): Promise<void> {
  await client.query(`SELECT 1 FROM provider WHERE id = ANY (${ids}) ORDER BY id FOR SHARE`, values);
}

/**
 * Unfinished targets of a provider go to the lane where it is asked from now on, and what is queued for them goes
 * with them, under new tokens, to be queued there. What a process has claimed stays with it, since its request may
 * be under way; the next one goes to the new lane, too. So it is with a row that is being claimed just now, which
 * is why none is waited for.
 */
async function moveTargets(client: PoolClient, providerId: string): Promise<Moved> {
  const { rows: targets } = await client.query<{ run_id: string; ordinal: number; lane_id: string }>(
    `SELECT t.run_id, t.ordinal, coalesce(m.lane_id, p.lane_id) AS lane_id
     FROM target t JOIN provider p ON p.id = t.provider_id LEFT JOIN model m ON m.provider_id = p.id
       AND m.model_id = t.model_id
     WHERE t.provider_id = $1 AND t.finished_at IS NULL AND t.lane_id <> coalesce(m.lane_id, p.lane_id)
       ORDER BY t.run_id, t.ordinal FOR UPDATE OF t`,
    [providerId],
  );
  if (targets.length === 0) return { lanes: [], jobs: [] };
  const moved = [
    targets.map((target) => target.run_id),
    targets.map((target) => target.ordinal),
    targets.map((target) => target.lane_id),
  ];
  await client.query(
    `UPDATE target t SET lane_id = u.lane, vtime = 0
      FROM unnest($1::uuid[], $2::int[], $3::uuid[]) AS u(run_id, ordinal, lane)
     WHERE t.run_id = u.run_id AND t.ordinal = u.ordinal`,
    moved,
  );
  await client.query(
    `WITH held AS (
       SELECT i.run_id, i.target, i.item, u.lane, i.worker IS NULL OR (i.crashes >= $4 AND NOT i.begun) AS waits
       FROM in_flight i JOIN unnest($1::uuid[], $2::int[], $3::uuid[]) AS u(run_id, ordinal, lane) ON i.run_id =
         u.run_id AND i.target = u.ordinal
       FOR UPDATE OF i SKIP LOCKED)
     UPDATE in_flight i SET lane_id = h.lane, token = CASE WHEN h.waits THEN nextval('delivery_token') ELSE i.token
       END,
       queued_at = CASE WHEN h.waits THEN '-infinity' ELSE i.queued_at END,
       worker = CASE WHEN NOT h.waits THEN i.worker END, lease_until = CASE WHEN NOT h.waits THEN i.lease_until END
     FROM held h WHERE i.run_id = h.run_id AND i.target = h.target AND i.item = h.item`,
    [...moved, SUSPECT_CRASHES],
  );
  const { rows: jobs } = await client.query<{ id: string }>(
    `UPDATE job SET detail = NULL WHERE id IN (SELECT job_id FROM run WHERE id = ANY ($1))
      AND starts_with(detail, $2) RETURNING id`,
    [moved[0], WAITING_FOR],
  );
  return { lanes: [...new Set(targets.map((target) => target.lane_id))], jobs: jobs.map((job) => job.id) };
}

export async function deleteProvider(
  pool: Pool | PoolClient,
  teamId: string,
  key: string,
): Promise<'deleted' | 'in-use' | 'not-found'> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; lane_id: string; own: string[] }>(
      `SELECT id, lane_id, ARRAY(SELECT lane_id FROM model WHERE provider_id = provider.id
        AND lane_id IS NOT NULL) AS own
       FROM provider WHERE team_id = $1 AND key = $2 FOR UPDATE`,
      [teamId, key],
    );
    if (!rows[0]) return 'not-found';
    const used = await client.query(
      `SELECT 1 FROM target t JOIN run r ON r.id = t.run_id WHERE t.provider_id = $1
        AND r.status IN ('pending', 'queued', 'running') LIMIT 1`,
      [rows[0].id],
    );
    if (used.rowCount) return 'in-use';
    await client.query('DELETE FROM provider WHERE id = $1', [rows[0].id]);
    await syncLanes(client, [rows[0].lane_id]);
    await removeIfUnused(client, [rows[0].lane_id, ...rows[0].own]);
    return 'deleted';
  });
}

const reserved = (): ProblemError =>
  new ProblemError(
    422,
    `"${RECORDED}" is what targets are called by whose replies were made elsewhere. Choose another key.`,
    [{ path: '/key', message: 'is reserved' }],
  );

/** Whoever may change an address could otherwise have the key sent to one of their own. */
const keyOfAnotherOrigin = (baseUrl: string): ProblemError =>
  new ProblemError(
    422,
    `The key was entered for another origin and does not move to ${new URL(baseUrl).origin} with the ` +
      'address. Give "api_key" along with "base_url"; null where the endpoint needs none.',
    [
      {
        path: '/api_key',
        message: 'must be given with a base_url of another origin; null for an endpoint without key',
      },
    ],
  );

/** A key at an origin is one credential, with one set of limits at the provider, however many entries use it. */
const credential = (sealer: Sealer, baseUrl: string, apiKey: string | null): string =>
  sealer.fingerprint('credential', new URL(baseUrl).origin, apiKey ?? '');

function sealed(sealer: Sealer, apiKey: string | null, providerId: string): [string | null, string | null] {
  if (apiKey === null) return [null, null];
  return [sealer.seal(apiKey, providerId), apiKey.length >= 12 ? apiKey.slice(-4) : null];
}

async function laneOf(client: PoolClient, teamId: string, name: string, fingerprint: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO lane (id, team_id, name, fingerprint, max_concurrency) VALUES ($1, $2, $3, $4, 8)
     ON CONFLICT (team_id, fingerprint) DO UPDATE SET name = lane.name RETURNING id`,
    [newId(), teamId, name, fingerprint],
  );
  return rows[0]!.id;
}

/** Lanes of credentials get the strictest limits of the entries that share them. */
async function syncLanes(client: PoolClient, laneIds: string[]): Promise<void> {
  await client.query(
    `UPDATE lane SET requests_per_minute = s.rpm, tokens_per_minute = s.tpm, max_concurrency = s.concurrency
     FROM (SELECT lane_id, min(requests_per_minute) AS rpm, min(tokens_per_minute) AS tpm, min(max_concurrency) AS
       concurrency
       FROM provider WHERE lane_id = ANY ($1) GROUP BY lane_id) s WHERE lane.id = s.lane_id`,
    [laneIds],
  );
}

/** What was learned about a model that stays in the list is kept. */
async function replaceModels(
  client: PoolClient,
  sealer: Sealer,
  teamId: string,
  providerId: string,
  key: string,
  models: ProviderInput['models'],
): Promise<void> {
  const repeated = models.findIndex((model, index) => models.findIndex((other) => other.id === model.id) < index);
  if (repeated >= 0)
    throw new ProblemError(422, `The model "${models[repeated]!.id}" is listed twice.`, [
      { path: `/models/${repeated}/id`, message: 'is listed before' },
    ]);
  await client.query('DELETE FROM model WHERE provider_id = $1 AND NOT model_id = ANY ($2)', [
    providerId,
    models.map((model) => model.id),
  ]);
  for (const [position, model] of models.entries()) {
    const laneId =
      model.limits &&
      (await laneOf(client, teamId, `${key}::${model.id}`, sealer.fingerprint('model', providerId, model.id)));
    if (laneId && model.limits) {
      await client.query(
        'UPDATE lane SET requests_per_minute = $2, tokens_per_minute = $3, max_concurrency = $4 WHERE id = $1',
        [laneId, model.limits.requests_per_minute, model.limits.tokens_per_minute, model.limits.max_concurrency],
      );
    }
    await client.query(
      `INSERT INTO model (id, provider_id, position, model_id, name, input_cost_per_mtok, output_cost_per_mtok,
        unsupported_params, default_params, limits, lane_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT (provider_id, model_id) DO UPDATE
         SET position = excluded.position, name = excluded.name, input_cost_per_mtok = excluded.input_cost_per_mtok,
         output_cost_per_mtok = excluded.output_cost_per_mtok, unsupported_params = excluded.unsupported_params,
           default_params = excluded.default_params,
         limits = excluded.limits, lane_id = excluded.lane_id`,
      [
        newId(),
        providerId,
        position,
        model.id,
        model.name ?? model.id,
        model.input_cost_per_mtok,
        model.output_cost_per_mtok,
        model.unsupported_params,
        JSON.stringify(model.default_params),
        model.limits && JSON.stringify(model.limits),
        laneId,
      ],
    );
  }
}
