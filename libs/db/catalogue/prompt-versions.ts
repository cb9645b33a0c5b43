import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Page } from '#lib/contracts/page';
import type { PromptComponents } from '#lib/contracts/prompt';
import {
  MAX_PROMPT_VERSIONS,
  type PromptOrigin,
  type PromptSource,
  type PromptVersion,
  type PromptVersionHead,
  type PromptVersionPatch,
  type PromptVersionsQuery,
} from '#lib/contracts/prompt-version';
import { newId } from '#lib/runtime/ids';
import { insertRow } from '../connection/insert-row.js';
import { inTransaction, type PoolClient } from '../connection/pool.js';
import { takeTurn } from '../connection/take-turn.js';
import { TeamScoped } from '../team-isolation.js';
import type { Reader } from './marks.js';
import { isOfSuites } from './named-suites.js';
import { toPage } from './page.js';

export interface NewPromptVersion {
  suiteId: string;
  /** The components of its suite: see `checkComponents` in apps/api/runs. */
  components: PromptComponents;
  label: string;
  tags: readonly string[];
  source: PromptSource;
  parentId: string | null;
  origin: PromptOrigin | null;
  userId: string;
}

/** A version without what runs have measured of it (`read/prompt-use.ts`). */
type StoredHead = Omit<PromptVersionHead, 'used'>;
export type StoredPromptVersion = Omit<PromptVersion, 'used'>;

type HeadRow = Omit<StoredHead, 'origin' | 'created_at'> & { origin: string | null; created_at: Date };

const HEAD = `v.id, v.suite_id, v.label, v.tags, v.source, v.parent_id, v.origin, v.components_count,
  (SELECT u.name FROM users u WHERE u.id = v.user_id AND u.team_id = v.team_id) AS created_by, v.created_at`;

const toHead = ({ origin, created_at, ...row }: HeadRow): StoredHead => ({
  ...row,
  origin: origin === null ? null : (JSON.parse(origin) as PromptOrigin),
  created_at: created_at.toISOString(),
});

/** A page of a list, and the suites that its reader's token is limited to; null for all. */
type ListQuery = PromptVersionsQuery & Pick<Reader, 'suiteIds'>;

/** The prompt versions of a team. */
export class PromptVersionRepository extends TeamScoped {
  /** Newest first, without their texts. */
  async list({ limit, cursor, suite_id, tag, suiteIds }: ListQuery): Promise<Page<StoredHead>> {
    const { rows } = await this.db.query<HeadRow>(
      `SELECT ${HEAD} FROM prompt_version v
       WHERE v.team_id = $1 AND ($2::uuid IS NULL OR v.id < $2) AND ($3::uuid IS NULL OR v.suite_id = $3)
         AND ($4::text IS NULL OR v.tags @> ARRAY[$4]) AND ${isOfSuites('v.suite_id', '$6')}
       ORDER BY v.id DESC LIMIT $5`,
      [this.teamId, cursor ?? null, suite_id ?? null, tag ?? null, limit + 1, suiteIds],
    );
    return toPage(rows.map(toHead), limit);
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<StoredPromptVersion> {
    const version = await this.find(id);
    if (!version) throw notFound('prompt version', id);
    return version;
  }

  find(id: string): Promise<StoredPromptVersion | undefined> {
    return this.#findOne('v.id = $2', id);
  }

  /** The version of a suite that has a tag. */
  findTagged(suiteId: string, tag: string): Promise<StoredPromptVersion | undefined> {
    return this.#findOne('v.suite_id = $2 AND v.tags @> ARRAY[$3]', suiteId, tag);
  }

  async #findOne(where: string, ...values: string[]): Promise<StoredPromptVersion | undefined> {
    const { rows } = await this.db.query<HeadRow & { components: string }>(
      `SELECT ${HEAD}, v.components FROM prompt_version v WHERE v.team_id = $1 AND ${where}`,
      [this.teamId, ...values],
    );
    if (!rows[0]) return undefined;
    const { components, ...head } = rows[0];
    return { ...toHead(head), components: JSON.parse(components) as PromptComponents };
  }

  /**
   * @param id the id it gets
   * @returns the id
   * @throws ProblemError 422 when the suite or the parent is gone, 409 when the suite has too many versions
   */
  create(version: NewPromptVersion, id = newId()): Promise<string> {
    const { suiteId, parentId, components, origin } = version;
    return inTransaction(this.db, async (client) => {
      await takeTurnOf(client, suiteId);
      await this.#keepSuite(client, suiteId);
      if (parentId !== null) await this.#keepParent(client, parentId, suiteId);
      await insertRow(client, 'prompt_version', {
        id,
        team_id: this.teamId,
        suite_id: suiteId,
        label: version.label,
        tags: version.tags,
        source: version.source,
        parent_id: parentId,
        components: JSON.stringify(components),
        components_count: Object.keys(components).length,
        origin: origin && JSON.stringify(origin),
        user_id: version.userId,
      });
      await this.#takeTags(client, { id, suiteId, tags: version.tags });
      return id;
    });
  }

  /** @returns it before and after @throws ProblemError 404 */
  update(
    id: string,
    { label, tags }: PromptVersionPatch,
  ): Promise<{ before: PromptVersionPatch; after: StoredPromptVersion }> {
    return inTransaction(this.db, async (client) => {
      const versions = new PromptVersionRepository(client, this.teamId);
      const { suite_id: suiteId } = await versions.read(id);
      const takesTags = tags?.length && suiteId !== null;
      if (takesTags) await takeTurnOf(client, suiteId);
      const { rows } = await client.query<Required<PromptVersionPatch>>(
        'SELECT label, tags FROM prompt_version WHERE id = $1 AND team_id = $2 FOR NO KEY UPDATE',
        [id, this.teamId],
      );
      if (!rows[0]) throw notFound('prompt version', id);
      if (takesTags) await this.#takeTags(client, { id, suiteId, tags });
      await client.query(
        `UPDATE prompt_version SET label = coalesce($3, label), tags = coalesce($4, tags)
         WHERE id = $1 AND team_id = $2`,
        [id, this.teamId, label ?? null, tags ?? null],
      );
      return { before: rows[0], after: await versions.read(id) };
    });
  }

  /**
   * Runs that used the version keep their own copy of its texts.
   * @returns what it was
   * @throws ProblemError 404
   */
  delete(id: string): Promise<Pick<StoredPromptVersion, 'suite_id' | 'label' | 'tags' | 'source'>> {
    return inTransaction(this.db, async (client) => {
      const { rows } = await client.query<{ suite_id: string | null }>(
        'SELECT suite_id FROM prompt_version WHERE id = $1 AND team_id = $2',
        [id, this.teamId],
      );
      // The versions whose parent it is change, too.
      if (rows[0]?.suite_id) await takeTurnOf(client, rows[0].suite_id);
      const deleted = await client.query<StoredPromptVersion>(
        'DELETE FROM prompt_version WHERE id = $1 AND team_id = $2 RETURNING suite_id, label, tags, source',
        [id, this.teamId],
      );
      if (!deleted.rows[0]) throw notFound('prompt version', id);
      return deleted.rows[0];
    });
  }

  /** Keeps the suite from being deleted until the transaction ends. */
  async #keepSuite(client: PoolClient, suiteId: string): Promise<void> {
    const kept = await client.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2 FOR KEY SHARE', [
      suiteId,
      this.teamId,
    ]);
    if (kept.rowCount === 0)
      throw new ProblemError(422, 'The suite was deleted in the meantime.', [
        { path: '/suite_id', message: 'name an existing one' },
      ]);
    const { rows } = await client.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM prompt_version WHERE suite_id = $1 AND team_id = $2',
      [suiteId, this.teamId],
    );
    if (rows[0]!.count >= MAX_PROMPT_VERSIONS)
      throw new ProblemError(
        409,
        `The suite has ${MAX_PROMPT_VERSIONS} prompt versions, which is the maximum. Delete some: runs that used ` +
          'them keep their texts.',
      ).as('prompt_version_limit', { limit: MAX_PROMPT_VERSIONS });
  }

  async #keepParent(client: PoolClient, parentId: string, suiteId: string): Promise<void> {
    const kept = await client.query(
      'SELECT 1 FROM prompt_version WHERE id = $1 AND team_id = $2 AND suite_id = $3 FOR KEY SHARE',
      [parentId, this.teamId, suiteId],
    );
    if (kept.rowCount === 0)
      throw new ProblemError(422, `The suite has no prompt version with id "${parentId}".`, [
        { path: '/parent_id', message: 'is not a version of the suite' },
      ]).as('unknown_prompt_version', { version: parentId, suite_id: suiteId });
  }

  /** A tag belongs to one version of a suite. */
  async #takeTags(
    client: PoolClient,
    { id, suiteId, tags }: { id: string; suiteId: string; tags: readonly string[] },
  ): Promise<void> {
    if (tags.length === 0) return;
    await client.query(
      `UPDATE prompt_version SET tags = ARRAY(
         SELECT tag FROM unnest(tags) WITH ORDINALITY AS had (tag, n) WHERE tag <> ALL ($4::text[]) ORDER BY n)
       WHERE team_id = $1 AND suite_id = $2 AND id <> $3 AND tags && $4::text[]`,
      [this.teamId, suiteId, id, tags],
    );
  }
}

/** Serialises adding versions to a suite, moving its tags, and deleting a version or the suite. */
async function takeTurnOf(client: PoolClient, suiteId: string): Promise<void> {
  await client.query('SELECT 1 FROM suite WHERE id = $1 FOR KEY SHARE', [suiteId]);
  await takeTurn(client, 'prompt versions', suiteId);
}
