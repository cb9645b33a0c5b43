import pg from 'pg';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { someoneWaits } from '../../../test/lock-wait.js';

let api: SharedApi;
beforeAll(async () => void (api = await joinIdleApi()));

const aSuite = async (client: Client, cases = 2): Promise<string> =>
  (await client.post('/api/tool-eval/import', weatherSuite(cases))).body.suite_id;
const submit = (client: Client, suiteId: string) =>
  client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'] });
const withProvider = async (client: Client): Promise<Client> => {
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
  return client;
};

/** A concurrent transaction, which a test begins and ends. */
async function aTransaction(): Promise<pg.PoolClient> {
  const client = await api.pool.connect();
  await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`);
  return client;
}
const end = async (client: pg.PoolClient, how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
  await client.query(how);
  client.release();
};

it('changes of a team that wait for one lock leave connections for other teams', async () => {
  const other = await withProvider(clientOf(api.url, (await api.anotherTeam()).body.token.token));
  const [suiteId, others] = [await aSuite(api.client), await aSuite(other)];
  const holder = await aTransaction();
  await holder.query('SELECT 1 FROM suite WHERE id = $1 FOR UPDATE', [suiteId]);
  const waiting = Array.from({ length: 20 }, () => api.client.patch(`/api/tool-suites/${suiteId}`, { name: 'new' }));
  await someoneWaits(api.pool);
  expect((await submit(other, others)).status).toBe(202);
  await end(holder, 'ROLLBACK');
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(20).fill(200));
});

describe('a submit', () => {
  beforeAll(() => withProvider(api.client));

  it('does not wait for an edit of its suite, and takes the version before it', async () => {
    const suiteId = await aSuite(api.client);
    const editor = await aTransaction();
    await editor.query('SELECT 1 FROM suite WHERE id = $1 FOR NO KEY UPDATE', [suiteId]);
    await editor.query('UPDATE suite SET version = 2, name = $2 WHERE id = $1', [suiteId, 'Edited']);
    await editor.query('DELETE FROM suite_case WHERE suite_id = $1 AND position = 0', [suiteId]);
    const { body: before } = await submit(api.client, suiteId);
    await end(editor, 'COMMIT');
    const { body: after } = await submit(api.client, suiteId);
    const pinned = async ({ eval_id }: { eval_id: string }) => {
      const { rows } = await api.pool.query(
        `SELECT suite_name, suite_version, t.n FROM run r JOIN target t ON t.run_id = r.id WHERE r.id = $1`,
        [eval_id],
      );
      return rows[0];
    };
    expect([await pinned(before), await pinned(after)]).toEqual([
      { suite_name: 'Weather', suite_version: 1, n: 2 },
      { suite_name: 'Edited', suite_version: 2, n: 1 },
    ]);
  });

  it('shares the copy of its suite with concurrent submits', async () => {
    const suiteId = await aSuite(api.client, 50);
    const answers = await Promise.all(Array.from({ length: 6 }, () => submit(api.client, suiteId)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(202));
    const { rows } = await api.pool.query(
      `SELECT count(DISTINCT v.id)::int AS copies, count(*)::int AS cases FROM suite_version v
         JOIN suite_version_case c ON c.version_id = v.id WHERE v.suite_id = $1`,
      [suiteId],
    );
    expect(rows).toEqual([{ copies: 1, cases: 50 }]);
  });

  it('prevents the deletion of its suite before the run is stored', async () => {
    const suiteId = await aSuite(api.client);
    const { eval_id } = (await submit(api.client, suiteId)).body;
    await api.client.post('/api/tool-eval/cancel', { job_id: await jobOf(eval_id) });
    const submitting = await aTransaction();
    await submitting.query('SELECT 1 FROM suite WHERE id = $1 FOR KEY SHARE', [suiteId]);
    const deleted = api.client.delete(`/api/tool-suites/${suiteId}`);
    await someoneWaits(api.pool);
    await submitting.query(`UPDATE run SET status = 'running' WHERE id = $1`, [eval_id]);
    await end(submitting, 'COMMIT');
    expect((await deleted).status).toBe(409);
    await api.pool.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [eval_id]);
  });
});

it('concurrent sign-ins with one token wait without holding connections', async () => {
  const { id, token } = (await api.client.post('/api/tokens', { name: 'shared', role: 'viewer' })).body;
  const holder = await aTransaction();
  await holder.query('SELECT 1 FROM token WHERE id = $1 FOR NO KEY UPDATE', [id]);
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const signIn = () => fetch(`${api.url}/api/session`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const signIns = Array.from({ length: 20 }, signIn);
  await someoneWaits(api.pool);
  expect((await api.client.get('/api/tool-suites')).status).toBe(200);
  await end(holder, 'ROLLBACK');
  expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(Array(20).fill(200));
});

const jobOf = async (runId: string): Promise<string> =>
  (await api.pool.query('SELECT job_id FROM run WHERE id = $1', [runId])).rows[0].job_id;
