import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Invitation, InvitationInput } from '#lib/contracts/people';
import type { Role, Token } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import { newAccessToken, newInvitationSecret, sha256 } from '#lib/runtime/seal';
import type { Pool, PoolClient } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import type { AuditedBy } from '../audit-work.js';
import { audit } from './audit.js';
import { toPage } from './page.js';
import { keepQuotas } from './quotas.js';
import { auditedToken, storeToken } from './tokens.js';
import { addMember, checkNameIsFree, type Membership } from './users.js';
import { keepAWayIn } from './ways-in.js';

/** How many invitations of a team may be open: each is a way in. */
const MAX_OPEN = 200;
/** How long a list shows an invitation that has ended, and its link says how it did. */
const KEPT_DAYS = 90;

interface InvitationRow extends Omit<Invitation, 'created_at' | 'expires_at'> {
  created_at: Date;
  expires_at: Date;
}

/** SQL: how an invitation `i` is. Links that an owner kept do not let that owner in again. */
const STATUS = `CASE WHEN i.accepted_at IS NOT NULL THEN 'accepted'
  WHEN i.withdrawn_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM users m
    WHERE m.id = i.created_by AND m.removed_at IS NULL AND (m.role = 'owner' OR (m.role IS NULL AND EXISTS (
      SELECT 1 FROM token k
      WHERE k.user_id = m.id AND k.role = 'owner' AND (k.expires_at IS NULL OR k.expires_at > now()))))
  ) THEN 'withdrawn' WHEN i.expires_at <= now() THEN 'expired' ELSE 'open' END`;
const COLUMNS = `i.id, i.role, i.note, i.created_at, i.expires_at,
  (SELECT u.name FROM users u WHERE u.id = i.created_by) AS created_by,
  (SELECT u.name FROM users u WHERE u.id = i.accepted_by) AS accepted_by`;

const toInvitation = ({ created_at, expires_at, ...row }: InvitationRow): Invitation => ({
  ...row,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
});

/** The invitations of a team. */
export class InvitationRepository extends TeamScoped {
  async list({ limit, cursor }: PageQuery): Promise<Page<Invitation>> {
    const { rows } = await this.db.query<InvitationRow>(
      `SELECT ${COLUMNS} FROM invitation i
       WHERE i.team_id = $1 AND ${STATUS} <> 'withdrawn' AND ($2::uuid IS NULL OR i.id < $2)
       ORDER BY i.id DESC LIMIT $3`,
      [this.teamId, cursor ?? null, limit + 1],
    );
    return toPage(rows.map(toInvitation), limit);
  }

  /** @returns the invitation with its secret, of which only the hash is stored */
  async create(
    createdBy: string,
    { role, note, expires_in_days }: InvitationInput,
  ): Promise<{ invitation: Invitation; secret: string }> {
    await this.db.query(`DELETE FROM invitation WHERE team_id = $1 AND expires_at < now() - $2 * interval '1 day'`, [
      this.teamId,
      KEPT_DAYS,
    ]);
    const open = await this.db.query(
      `SELECT 1 FROM invitation i WHERE i.team_id = $1 AND ${STATUS} = 'open' LIMIT $2`,
      [this.teamId, MAX_OPEN],
    );
    if (open.rowCount === MAX_OPEN)
      throw new ProblemError(409, `The team has ${MAX_OPEN} open invitations already. Withdraw some first.`);
    const secret = newInvitationSecret();
    const { rows } = await this.db.query<InvitationRow>(
      `WITH i AS (
         INSERT INTO invitation (id, team_id, hash, role, note, created_by, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 day') RETURNING *
       ) SELECT ${COLUMNS} FROM i`,
      [newId(), this.teamId, sha256(secret), role, note || null, createdBy, expires_in_days],
    );
    return { invitation: toInvitation(rows[0]!), secret };
  }

  /** Withdraws an open invitation. @returns what was there @throws ProblemError 404, or 409 when it has ended */
  async withdraw(id: string): Promise<{ role: Role; note: string | null; expires_at: Date }> {
    const { rows: withdrawn } = await this.db.query<{ role: Role; note: string | null; expires_at: Date }>(
      `UPDATE invitation i SET withdrawn_at = now() WHERE id = $1 AND team_id = $2 AND ${STATUS} = 'open'
       RETURNING role, note, expires_at`,
      [id, this.teamId],
    );
    if (withdrawn[0]) return withdrawn[0];
    const { rows } = await this.db.query<{ status: EndedStatus }>(
      `SELECT ${STATUS} AS status FROM invitation i WHERE id = $1 AND team_id = $2`,
      [id, this.teamId],
    );
    if (!rows[0]) throw notFound('invitation', id);
    throw invitationEnded(rows[0].status);
  }
}

/** An open invitation, as whoever has its link may see it. */
export interface OpenInvitation {
  id: string;
  teamId: string;
  teamName: string;
  role: Role;
  invitedBy: string;
  /** The id of the member who made it. */
  createdBy: string;
  expiresAt: Date;
}

/** @throws ProblemError 404 when there is no such invitation, 409 when it has ended, with how it did */
export async function readInvitation(db: Pool | PoolClient, secret: string): Promise<OpenInvitation> {
  const { rows } = await db.query<OpenInvitation & { status: 'open' | EndedStatus }>(
    `SELECT i.id, i.team_id AS "teamId", t.name AS "teamName", i.role, u.name AS "invitedBy", u.id AS "createdBy",
       i.expires_at AS "expiresAt", ${STATUS} AS status
     FROM invitation i JOIN team t ON t.id = i.team_id JOIN users u ON u.id = i.created_by WHERE i.hash = $1`,
    [sha256(secret)],
  );
  if (!rows[0]) throw new ProblemError(404, 'There is no such invitation. Check that you have the whole link.');
  const { status, ...invitation } = rows[0];
  if (status !== 'open') throw invitationEnded(status);
  return invitation;
}

/**
 * Makes a person a member of the team that invites, within a transaction: an invitation counts once. A member by a rule
 * of sign-in becomes one of an owner, with the role of the invitation; whoever was removed is a member again.
 * @param joiner.name of a new member; one that is taken in the team gets a number
 * @throws ProblemError 404 and 409 as `readInvitation`; 409 for a member by an owner, or when the team reached its
 *   quota of users: the invitation stays open
 */
export async function redeemInvitation(
  client: PoolClient,
  { secret, by = {}, ...joiner }: Joining & { secret: string; personId: string },
): Promise<Membership> {
  const invitation = await readInvitation(client, secret);
  const { id, teamId } = invitation;
  const { rows } = await client.query<{ userId: string }>(
    'SELECT id AS "userId" FROM users WHERE team_id = $1 AND person_id = $2',
    [teamId, joiner.personId],
  );
  // It would turn a role that follows the groups at the provider into one that stays.
  if (rows[0]?.userId === invitation.createdBy)
    throw new ProblemError(409, 'You made this invitation. It is for somebody else.');
  return keepAWayIn(client, { teamId, userId: rows[0]?.userId }, async () => {
    const { isNew, ...member } = await join(client, invitation, joiner);
    const { rowCount } = await client.query(
      `UPDATE invitation i SET accepted_by = $2, accepted_at = now() WHERE id = $1 AND ${STATUS} = 'open'`,
      [id, member.userId],
    );
    // Somebody else was faster: this says so, and rolls back.
    if (!rowCount) await readInvitation(client, secret);
    const change = { after: { user: member.userName, role: member.role } };
    await audit(client, { ...by, ...member }, 'invitation.accept', id, change);
    await keepQuotas(client, teamId, { users: isNew ? 1 : 0 });
    return member;
  });
}

/** Who joins a team, and with which request. */
interface Joining {
  name: string;
  by?: Pick<AuditedBy, 'sessionId' | 'request'>;
}

async function join(
  client: PoolClient,
  { teamId, teamName, role }: OpenInvitation,
  { personId, name }: { personId: string; name: string },
): Promise<Membership & { isNew: boolean }> {
  const { rows } = await client.query<{ userId: string; userName: string; isNew: boolean }>(
    `UPDATE users u SET role = $3, given_by = 'owner', removed_at = NULL, removed_by = NULL FROM users before
     WHERE u.team_id = $1 AND u.person_id = $2 AND (u.removed_at IS NOT NULL OR u.given_by = 'rule')
       AND before.id = u.id
     RETURNING u.id AS "userId", u.name AS "userName", before.removed_at IS NOT NULL AS "isNew"`,
    [teamId, personId, role],
  );
  const added = rows[0] ? undefined : await addMember(client, { teamId, personId, name, role, givenBy: 'owner' });
  const member = rows[0] ?? (added && { ...added, isNew: true });
  if (!member) throw new ProblemError(409, 'You are a member of this team already. Owners change roles.');
  return { ...member, teamId, teamName, role };
}

type EndedStatus = 'accepted' | 'expired' | 'withdrawn';
const ENDED: Record<EndedStatus, string> = {
  accepted: 'The invitation has been used. It is for one person: ask for another.',
  expired: 'The invitation has expired. Ask for another.',
  withdrawn: 'The invitation was withdrawn.',
};
const invitationEnded = (status: EndedStatus): ProblemError =>
  new ProblemError(409, ENDED[status]).as('invitation_ended', { status });

/**
 * Joins a team where people cannot sign in: makes a person, a member and a token.
 * @throws ProblemError as `redeemInvitation`, and 409 when the name is taken, or the team reached a quota
 */
export async function acceptInvitation(
  client: PoolClient,
  { secret, name, tokenExpiresAt, by = {} }: Joining & { secret: string; tokenExpiresAt: string },
): Promise<{ token: Token; secret: string }> {
  const { teamId } = await readInvitation(client, secret);
  await checkNameIsFree(client, teamId, name);
  const personId = newId();
  await client.query('INSERT INTO person (id, name) VALUES ($1, $2)', [personId, name]);
  const { userId, userName, role } = await redeemInvitation(client, { secret, personId, name, by });
  // Somebody else took the name meanwhile.
  if (userName !== name) await checkNameIsFree(client, teamId, name);
  const tokenSecret = newAccessToken();
  const input = { name: 'first token', role, expires_at: tokenExpiresAt, created_by: userId };
  const token = await storeToken(client, userId, input, tokenSecret);
  await audit(client, { ...by, teamId, userId }, 'token.create', token.id, { after: auditedToken(token) });
  await keepQuotas(client, teamId, { tokens: 1 });
  return { token, secret: tokenSecret };
}
