import { until } from '../processes.js';
import { joinTuneSystem, LIMITED, MAX_CONCURRENCY, MODEL, SLOW } from '../tune-system.js';

let system: Awaited<ReturnType<typeof joinTuneSystem>>;
beforeAll(async () => void (system = await joinTuneSystem()));

it('combinations with the same requests send them once', async () => {
  const { tune_id, job_id } = await system.submit({
    models: [`sim::${LIMITED}`],
    mode: 'grid',
    search_space: { temperature: [0, 0.5], top_p: [0.1, 0.3, 0.5, 1] },
    holdout: 0,
  });
  await system.ended(job_id);
  const all = await system.arms(tune_id);
  expect(all.map(({ same_as }) => same_as)).toEqual([null, null, 1, 1, 1, null, 5, 5, 5]);
  expect(all[2]!.adjustments).toEqual([expect.stringContaining('top_p')]);
  expect(await system.requests(LIMITED)).toBe(3 * 60 * 4);
});

/** A tune of one combination and the base. */
const SMALL = {
  mode: 'grid',
  search_space: { temperature: [0.3], tool_choice: ['required'], top_p: [0.3] },
  cache: 'off',
};

it('a spent budget ends a tune with its findings, and a larger one lets it continue without paying again', async () => {
  const before = await system.requests(MODEL);
  const { tune_id, job_id } = await system.submit({ ...SMALL, seed: 7, budget: { max_requests: 200 } });
  expect(await system.ended(job_id)).toMatchObject({ status: 'budget_exceeded' });
  const stopped = await system.tune(tune_id);
  expect(stopped.notes).toEqual([expect.stringMatching(/the budget ends it earlier/)]);
  expect(stopped.targets[0]).toMatchObject({ holdout: null, text: expect.stringMatching(/the tune stopped before/) });
  expect((await system.requests(MODEL)) - before).toBeLessThanOrEqual(200);

  const resumed = await system.client.post(`/api/jobs/${job_id}/resume`, { budget: { max_requests: 2000 } });
  expect(resumed).toMatchObject({ status: 202, body: { tune_id } });
  expect(await system.ended(resumed.body.job_id)).toMatchObject({ status: 'completed' });
  const found = await system.tune(tune_id);
  expect(found.targets[0]!.outcome).toBe('confirmed');
  expect(found).toMatchObject({ job_id: resumed.body.job_id });
  const { rows } = await system.sql.query(
    `SELECT count(*)::int AS n FROM result WHERE run_id IN (SELECT id FROM run WHERE orchestration_id = $1)`,
    [tune_id],
  );
  expect((await system.requests(MODEL)) - before).toBe(rows[0].n);
});

it('a tune stops within a second, and continues where it was', async () => {
  const { tune_id, job_id } = await system.submit({ ...SMALL, models: [`sim::${SLOW}`], seed: 3 });
  await until(async () => (await system.job(job_id)).progress.done > 100);
  expect((await system.client.post('/api/tool-eval/cancel', { job_id })).status).toBe(202);
  const counted = await system.requests(SLOW);
  await until(async () => (await system.get('/api/lanes')).items.every(({ in_flight }: any) => in_flight === 0));
  expect((await system.requests(SLOW)) - counted).toBeLessThanOrEqual(MAX_CONCURRENCY);
  expect(await system.tune(tune_id)).toMatchObject({ status: 'cancelled', step: 'search' });
  const { body: resumed } = await system.client.post(`/api/jobs/${job_id}/resume`);
  expect(await system.ended(resumed.job_id)).toMatchObject({ status: 'completed' });
  expect((await system.tune(tune_id)).targets[0]!.outcome).toBe('confirmed');
});
