import { isFinished } from '#lib/contracts/job';
import { until } from '../processes.js';
import { MAX_CONCURRENCY, SLOW, joinTuneSystem } from '../tune-system.js';

let system: Awaited<ReturnType<typeof joinTuneSystem>>;
beforeAll(async () => void (system = await joinTuneSystem()));

it('tells the time that is left within a factor of two', async () => {
  const { job_id } = await system.submit({ models: [`sim::${SLOW}`], cache: 'off' });
  const told: { atMs: number; etaS: number }[] = [];
  await until(
    async () => {
      const { status, progress } = await system.job(job_id);
      const atMs = Date.now();
      if (progress.eta_s !== null && progress.percent > 20 && progress.percent < 80)
        told.push({ atMs, etaS: progress.eta_s });
      return isFinished(status);
    },
    { timeoutMs: 120_000 },
  );
  const endMs = Date.parse((await system.job(job_id)).finished_at!);
  const factors = told.map(({ atMs, etaS }) => (etaS * 1000) / (endMs - atMs));
  expect(factors.length).toBeGreaterThan(5);
  expect(factors.filter((factor) => factor < 0.5 || factor > 2)).toEqual([]);
});

it('is stopped within a second, and goes on where it was', async () => {
  const { tune_id, job_id } = await system.submit({ models: [`sim::${SLOW}`], cache: 'off', seed: 3 });
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
