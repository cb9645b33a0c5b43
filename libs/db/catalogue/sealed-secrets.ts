import { UnsealError, type Sealer } from '#lib/runtime/seal';
import type { Pool } from '../connection/pool.js';
import { followSealingKey } from './chosen-sealing-key.js';
import { instanceSecretContext } from './fingerprint-key.js';
import { refreshTokenContext } from './sign-in-sessions.js';

// What is sealed: every column with a sealed value is in one of these. To seal it again changes nothing but its form,
// so neither `updated_at` nor `access_version` moves.

/** Where sealed secrets are. `installation`: its own, such as the key of fingerprints. */
export const SEALED_PLACES = ['providers', 'sessions', 'installation'] as const;
type SealedPlace = (typeof SEALED_PLACES)[number];

interface SealedRow {
  id: string;
  /** By column; null where there is none. */
  sealed: Record<string, string | null>;
  /** By column. */
  contexts: Record<string, string>;
}

interface SealedTable {
  table: string;
  id: { column: string; type: string; first: string };
  columns: readonly string[];
  /** SQL: what else to set. */
  sets: string;
  /** SQL: what else to read, of which `contextsOf` makes the contexts. */
  reads: string;
  contextsOf(row: Record<string, string>): Record<string, string>;
}

const NIL = '00000000-0000-0000-0000-000000000000';
const UUID = { column: 'id', type: 'uuid', first: NIL };

const TABLES: Record<SealedPlace, SealedTable> = {
  providers: {
    table: 'provider',
    id: UUID,
    columns: ['sealed_key', 'sealed_headers', 'sealed_client_certificate'],
    // It always differs from the one before: that is how the trigger knows (raise-access-version.sql).
    sets: `, resealed_at = greatest(now(), resealed_at + interval '1 ms')`,
    reads: '',
    contextsOf: ({ id }) => ({
      sealed_key: id!,
      sealed_headers: `${id} headers`,
      sealed_client_certificate: `${id} certificate`,
    }),
  },
  sessions: {
    table: 'session',
    id: UUID,
    columns: ['refresh_token'],
    sets: '',
    reads: `, (SELECT issuer FROM person p WHERE p.id = person_id) AS issuer,
      (SELECT subject FROM person p WHERE p.id = person_id) AS subject`,
    contextsOf: ({ issuer, subject }) => ({
      refresh_token: refreshTokenContext({ issuer: issuer!, subject: subject! }),
    }),
  },
  installation: {
    table: 'instance_secret',
    id: { column: 'name', type: 'text', first: '' },
    columns: ['sealed'],
    sets: '',
    reads: '',
    contextsOf: ({ id }) => ({ sealed: instanceSecretContext(id!) }),
  },
};

/** What one pass did. */
export interface Resealed {
  /** Rows that were sealed again. */
  resealed: number;
  /** Rows with a secret that no key of the ring opens, and why the last of them does not. */
  unreadable: number;
  why: string | undefined;
}

const PIECE = 100;

/**
 * Seals with the chosen key what another one has sealed; a process that does not have it changes nothing. A row
 * that changes meanwhile is left to the next pass, as is everything after a death in the middle, so any number of
 * processes may do it at once.
 */
export async function resealSecrets(pool: Pool, sealer: Sealer, signal?: AbortSignal): Promise<Resealed> {
  const done: Resealed = { resealed: 0, unreadable: 0, why: undefined };
  if (!(await followSealingKey(pool, sealer))) return done;
  for (const place of SEALED_PLACES) {
    const of = TABLES[place];
    let after: string | undefined = of.id.first;
    while (after !== undefined && !signal?.aborted) {
      const rows = await rowsToReseal(pool, of, sealer, after);
      for (const row of rows) if (!signal?.aborted) await resealRow(pool, of, sealer, row, done);
      after = rows.length === PIECE ? rows.at(-1)!.id : undefined;
    }
  }
  return done;
}

async function rowsToReseal(
  pool: Pool,
  { table, id, columns, reads, contextsOf }: SealedTable,
  sealer: Sealer,
  after: string,
): Promise<SealedRow[]> {
  const { rows } = await pool.query<Record<string, string>>(
    `SELECT ${id.column} AS id, ${columns.join(', ')}${reads} FROM ${table}
     WHERE ${id.column} > $2::${id.type} AND (${columns.map((name) => `NOT starts_with(${name}, $1)`).join(' OR ')})
     ORDER BY ${id.column} LIMIT ${PIECE}`,
    [sealer.prefix, after],
  );
  return rows.map((row) => ({
    id: row.id!,
    sealed: Object.fromEntries(columns.map((name) => [name, row[name] ?? null])),
    contexts: contextsOf(row),
  }));
}

/** Unless one of its secrets has changed since it was read. */
async function resealRow(
  pool: Pool,
  { table, id, columns, sets }: SealedTable,
  sealer: Sealer,
  row: SealedRow,
  done: Resealed,
): Promise<void> {
  let why: string | undefined;
  const again = columns.map((name) => {
    const sealed = row.sealed[name] ?? null;
    if (sealed === null || sealed.startsWith(sealer.prefix)) return sealed;
    try {
      return sealer.seal(sealer.open(sealed, row.contexts[name]!), row.contexts[name]!);
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
      why = error.why;
      return sealed;
    }
  });
  if (why !== undefined) Object.assign(done, { unreadable: done.unreadable + 1, why });
  const before = columns.map((name) => row.sealed[name]);
  if (again.every((sealed, index) => sealed === before[index])) return;
  const { rowCount } = await pool.query(
    `UPDATE ${table} SET ${columns.map((name, index) => `${name} = $${index + 2}`).join(', ')}${sets}
     WHERE ${id.column} = $1 AND ${columns
       .map((name, index) => `${name} IS NOT DISTINCT FROM $${index + 2 + columns.length}`)
       .join(' AND ')}`,
    [row.id, ...again, ...before],
  );
  done.resealed += rowCount ?? 0;
}

/** Secrets in one place that one key has sealed. */
export interface SealedCount {
  place: SealedPlace;
  /** The id of the key; null: they do not say it (`v1`). */
  keyId: string | null;
  secrets: number;
  /** Whether they are still to be sealed with the chosen key. */
  isLeft: boolean;
}

/** By place and key. */
export async function countSealed(pool: Pool, sealer: Sealer): Promise<SealedCount[]> {
  const columns = SEALED_PLACES.flatMap((place) =>
    TABLES[place].columns.map(
      (column) => `SELECT '${place}' AS place, ${column} AS sealed FROM ${TABLES[place].table}
        WHERE ${column} IS NOT NULL`,
    ),
  );
  const { rows } = await pool.query<SealedCount>({
    name: 'count_sealed',
    text: `SELECT place, CASE WHEN starts_with(sealed, 'v2.') THEN split_part(sealed, '.', 2) END AS "keyId",
        count(*) AS secrets, NOT starts_with(sealed, $1) AS "isLeft"
      FROM (${columns.join(' UNION ALL ')}) all_sealed
      GROUP BY place, "keyId", "isLeft" ORDER BY place, "keyId" NULLS FIRST`,
    values: [sealer.prefix],
  });
  return rows;
}
