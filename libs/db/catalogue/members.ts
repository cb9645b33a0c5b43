import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Member } from '#lib/contracts/people';
import type { Role } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import type { PoolClient } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { hideFromEarlierRelease, SESSION_HAS_ENDED } from './callers.js';
import { toPage } from './page.js';
import { keepQuotas } from './quotas.js';
import { deleteTokens } from './tokens.js';
import { addMember, checkNameIsFree, endMembership, type Giver } from './users.js';
import { keepAWayIn } from './ways-in.js';

interface MemberRow extends Omit<Member, 'last_used_at' | 'created_at'> {
  last_used_at: Date | null;
  created_at: Date;
}

/** SQL: the tokens `k` of a user `u` that have not expired, and its sessions `s` that have not ended. */
const TOKENS = `token k WHERE k.user_id = u.id AND (k.expires_at IS NULL OR k.expires_at > now())`;
/** Sessions of a sign-in are those of all teams of the person. */
const SESSIONS = `session s
  WHERE (s.person_id = u.person_id OR (s.person_id IS NULL AND s.user_id = u.id)) AND NOT ${SESSION_HAS_ENDED}`;
const COLUMNS = `
  u.id, u.name, p.kind, u.given_by, p.issuer IS NOT NULL AS signs_in, p.email, u.created_at,
  coalesce(u.role, (SELECT k.role FROM ${TOKENS}
    ORDER BY array_position(ARRAY['owner', 'editor', 'viewer'], k.role) LIMIT 1), 'viewer') AS role,
  greatest((SELECT max(k.last_used_at) FROM ${TOKENS}), (SELECT max(s.last_used_at) FROM ${SESSIONS})) AS last_used_at,
  (SELECT count(*)::int FROM ${TOKENS}) AS tokens, (SELECT count(*)::int FROM ${SESSIONS}) AS sessions`;

const toMember = ({ last_used_at, created_at, ...row }: MemberRow): Member => ({
  ...row,
  last_used_at: last_used_at?.toISOString() ?? null,
  created_at: created_at.toISOString(),
});

/** The members of a team: people and service accounts. Whoever was removed is none, but their work bears the name. */
export class MemberRepository extends TeamScoped {
  async list({ limit, cursor }: PageQuery): Promise<Page<Member>> {
    return toPage(await this.#read('($2::uuid IS NULL OR u.id < $2)', cursor ?? null, limit + 1), limit);
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<Member> {
    const [member] = await this.#read('u.id = $2', id, 1);
    if (!member) throw notFound('member', id);
    return member;
  }

  async #read(condition: string, value: string | null, limit: number): Promise<Member[]> {
    const { rows } = await this.db.query<MemberRow>(
      `SELECT ${COLUMNS} FROM users u JOIN person p ON p.id = u.person_id
       WHERE u.team_id = $1 AND u.removed_at IS NULL AND ${condition} ORDER BY u.id DESC LIMIT $3`,
      [this.teamId, value, limit],
    );
    return rows.map(toMember);
  }
}

/** Changes of the members of a team, each within a transaction. */
export class MemberChanges extends TeamScoped<PoolClient> {
  /** @throws ProblemError 409 when the name is taken, or the team reached its quota of users */
  async addServiceAccount(name: string, role: Role): Promise<string> {
    await checkNameIsFree(this.db, this.teamId, name);
    const personId = newId();
    await this.db.query(`INSERT INTO person (id, kind, name) VALUES ($1, 'service', $2)`, [personId, name]);
    const added = await addMember(this.db, { teamId: this.teamId, personId, name, role, givenBy: 'owner' });
    await keepQuotas(this.db, this.teamId, { users: 1 });
    return added!.userId;
  }

  /**
   * @returns the role before
   * @throws ProblemError 404, and 409 when a rule gives the role, or nobody could manage the team any more
   */
  async changeRole(id: string, role: Role): Promise<Role | null> {
    return keepAWayIn(this.db, { teamId: this.teamId, userId: id }, async () => {
      const { givenBy, role: before } = await this.#read(id);
      if (givenBy === 'rule')
        throw new ProblemError(
          409,
          'The role comes from the groups of this member at the provider. Change them there, or send the member an ' +
            'invitation, whose role stays.',
        ).as('role_from_sign_in');
      await this.db.query('UPDATE users SET role = $2 WHERE id = $1', [id, role]);
      await hideFromEarlierRelease(this.db, id);
      return before;
    });
  }

  /**
   * Ends a membership, and with it tokens and sessions. The work of the member stays, and jobs go on.
   * @returns how many jobs go on, and what was there
   * @throws ProblemError 404, and 409 when nobody could manage the team any more
   */
  async remove(id: string): Promise<{ runningJobs: number; before: { name: string; role: Role | null } }> {
    return keepAWayIn(this.db, { teamId: this.teamId, userId: id }, async () => {
      const { name, role } = await this.#read(id);
      await endMembership(this.db, id, 'owner');
      // Their sessions go with them.
      await deleteTokens(this.db, 'user_id = $1', id);
      const { rows } = await this.db.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM job WHERE user_id = $1 AND status IN ('pending', 'queued', 'running')`,
        [id],
      );
      return { runningJobs: rows[0]!.count, before: { name, role } };
    });
  }

  async #read(id: string): Promise<{ name: string; role: Role | null; givenBy: Giver }> {
    const { rows } = await this.db.query<{ name: string; role: Role | null; givenBy: Giver }>(
      'SELECT name, role, given_by AS "givenBy" FROM users WHERE id = $1 AND team_id = $2 AND removed_at IS NULL',
      [id, this.teamId],
    );
    if (!rows[0]) throw notFound('member', id);
    return rows[0];
  }
}
