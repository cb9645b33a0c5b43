import { newId } from '#lib/runtime/ids';
import { newAccessToken, sha256 } from '#lib/runtime/seal';
import { createDatabase } from '../../../test/services.js';
import { migrate } from '../connection/migrate.js';
import { createPool, type Pool } from '../connection/pool.js';
import { findCaller } from './callers.js';
import { createTeam } from './teams.js';

let url: string;
let pool: Pool;
beforeEach(async () => {
  ({ url } = await createDatabase());
  pool = createPool(url, 2);
});
afterEach(() => pool.end());

it('each user of before is a person, also of the same name, and tokens keep team, role and no end', async () => {
  // As the release before left it: users without persons, and no trigger that makes any.
  await pool.query('DROP FUNCTION person_of_user CASCADE; DELETE FROM sql_function WHERE name = $$person-of-user$$');
  const teams = [await createTeam(pool, 'one'), await createTeam(pool, 'other')];
  const secrets: string[] = [];
  for (const { team } of teams) {
    const [userId, secret] = [newId(), newAccessToken()];
    await pool.query(`INSERT INTO users (id, team_id, name) VALUES ($1, $2, 'grace')`, [userId, team.id]);
    await pool.query(
      `INSERT INTO token (id, team_id, user_id, name, role, hash) VALUES ($1, $2, $3, 'old', 'editor', $4)`,
      [newId(), team.id, userId, sha256(secret)],
    );
    secrets.push(secret);
  }
  await migrate(url);
  const callers = await Promise.all(secrets.map((secret) => findCaller(pool, { kind: 'token', secret })));
  expect(callers).toEqual(
    teams.map(({ team }) => expect.objectContaining({ teamId: team.id, userName: 'grace', role: 'editor' })),
  );
  expect(new Set(callers.map((caller) => caller!.personId)).size).toBe(2);
  const { rows } = await pool.query(
    `SELECT p.kind, p.issuer, p.subject, k.expires_at FROM token k JOIN users u ON u.id = k.user_id
       JOIN person p ON p.id = u.person_id AND p.name = u.name WHERE k.name = 'old'`,
  );
  expect(rows).toEqual(teams.map(() => ({ kind: 'person', issuer: null, subject: null, expires_at: null })));
  // Those that a process of it adds later.
  await pool.query(`INSERT INTO users (id, team_id, name) VALUES ($1, $2, 'late')`, [newId(), teams[0]!.team.id]);
  const late = await pool.query(`SELECT u.person_id FROM users u WHERE u.name = 'late'`);
  expect(late.rows).toEqual([{ person_id: expect.any(String) }]);
});
