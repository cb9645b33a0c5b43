import { isFinished } from '#lib/contracts/values/jobs';
import { until } from '../processes.js';
import { SLOW, joinTuneSystem } from '../tune-system.js';

let system: Awaited<ReturnType<typeof joinTuneSystem>>;
beforeAll(async () => void (system = await joinTuneSystem()));

it('the estimated remaining time is right within a factor of two', async () => {
  const { job_id } = await system.submit({ models: [`sim::${SLOW}`], cache: 'off' });
  const estimates: { atMs: number; etaS: number }[] = [];
  await until(
    async () => {
      const { status, progress } = await system.job(job_id);
      const atMs = Date.now();
      if (progress.eta_s !== null && progress.percent > 20 && progress.percent < 80)
        estimates.push({ atMs, etaS: progress.eta_s });
      return isFinished(status);
    },
    { timeoutMs: 120_000 },
  );
  const endMs = Date.parse((await system.job(job_id)).finished_at!);
  const factors = estimates.map(({ atMs, etaS }) => (etaS * 1000) / (endMs - atMs));
  expect(factors.length).toBeGreaterThan(5);
  expect(factors.filter((factor) => factor < 0.5 || factor > 2)).toEqual([]);
});
