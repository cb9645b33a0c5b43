import { clientOf, weatherSuite, type Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { until } from '../until.js';

// Shares are measured in items, not in seconds, so the speed of this machine does not matter. bench/fairness measures
// seconds.
let sql: TeamSystem['sql'];
let ada: Client;
let bob: Client;
beforeAll(async () => {
  const { client, simulator, teamId, ...system } = await joinSystem();
  [ada, sql] = [client, system.sql];
  bob = clientOf(ada.url, (await ada.post('/api/tokens', { name: 'bob', role: 'editor', user: 'bob' })).body.token);
  for (const [key, limits] of Object.entries({ free: {}, limited: { requests_per_minute: 900 }, split: {} })) {
    await ada.post('/api/providers', {
      key,
      base_url: `${simulator.url}/v1`,
      api_key: `sk-${key}-0123456789`,
      limits: { max_concurrency: 8, ...limits },
      models: [{ id: `slow-20:${key}` }],
    });
  }
  await sql.query('UPDATE team SET running_jobs_per_user = 60 WHERE id = $1', [teamId]);
});

/** By number of cases. */
const suites = new Map<number, Promise<string>>();
const suiteOf = (cases: number): Promise<string> => {
  const imported = (): Promise<string> => ada.importSuite(weatherSuite(cases));
  if (!suites.has(cases)) suites.set(cases, imported());
  return suites.get(cases)!;
};
async function submit(
  by: Client,
  provider: string,
  cases: number,
  samples = 1,
): Promise<{ evalId: string; jobId: string }> {
  const { status, body } = await by.post('/api/tool-eval', {
    suite_id: await suiteOf(cases),
    models: [`${provider}::slow-20:${provider}`],
    samples,
    cache: 'off',
  });
  expect(status).toBe(202);
  return { evalId: body.eval_id, jobId: body.job_id };
}
const settledOf = async (runs: string[]): Promise<number> =>
  (await sql.query('SELECT coalesce(sum(settled), 0)::int AS n FROM target WHERE run_id = ANY ($1)', [runs])).rows[0].n;
const settled = (runs: string[], n: number) =>
  until(async () => (await settledOf(runs)) >= n, { what: `${n} settled items`, timeoutMs: 90_000 });

/**
 * The maximum number of items that a lane of eight requests holds: nine slots, two waiting items, and four dispatched
 * together.
 */
const WINDOW = 15;

it.each(['free', 'limited'])(
  'a run of 20 items gets half of a lane that another run saturates (%s)',
  async (provider) => {
    const large = await submit(ada, provider, 500, 20);
    await settled([large.evalId], 30);
    const small = await submit(bob, provider, 20);
    await settled([small.evalId], 20);
    const { rows } = await sql.query(
      `SELECT count(*)::int AS beside FROM result r, job j WHERE j.id = $1 AND r.run_id = $2
       AND r.settled_at BETWEEN j.started_at AND (SELECT max(settled_at) FROM result WHERE run_id = $3)`,
      [small.jobId, large.evalId, small.evalId],
    );
    // Alone it takes the time of 20 items. Three times that would be 40 items of others; half of the lane is 20.
    expect(rows[0].beside).toBeLessThanOrEqual(20 + WINDOW);
    await ada.post(`/api/jobs/${large.jobId}/cancel`);
  },
);

it('splitting one big run into fifty gains nothing', async () => {
  const one = await submit(bob, 'split', 400);
  await settled([one.evalId], 20);
  const many: string[] = [];
  for (let n = 0; n < 50; n++) many.push((await submit(ada, 'split', 8)).evalId);
  await until(async () => Math.max(await settledOf([one.evalId]), await settledOf(many)) >= 400, {
    what: 'one of the two users to be done',
    timeoutMs: 90_000,
  });
  const { rows } = await sql.query(
    `WITH shared AS (
       SELECT greatest(min(settled_at) FILTER (WHERE run_id = $1), min(settled_at) FILTER (WHERE run_id <> $1)) AS
         since,
         least(max(settled_at) FILTER (WHERE run_id = $1), max(settled_at) FILTER (WHERE run_id <> $1)) AS until
           FROM result WHERE run_id = $1 OR run_id = ANY ($2))
     SELECT (count(*) FILTER (WHERE run_id = $1))::int AS one, (count(*) FILTER (WHERE run_id <> $1))::int AS many
     FROM result, shared WHERE (run_id = $1 OR run_id = ANY ($2)) AND settled_at BETWEEN since AND until`,
    [one.evalId, many],
  );
  const share = rows[0].one / (rows[0].one + rows[0].many);
  expect(rows[0].one + rows[0].many).toBeGreaterThan(300);
  expect(share).toBeGreaterThan(0.45);
  expect(share).toBeLessThan(0.55);
}, 180_000);
