import type { ParamTune } from '#lib/contracts/param-tune';
import { until } from './processes.js';
import { BASE, LIMITED, MODEL, ROUTE, startTuneSystem } from './tune-system.js';

let system: Awaited<ReturnType<typeof startTuneSystem>>;
beforeAll(async () => void (system = await startTuneSystem()));
afterAll(() => system.sql.end());

it('a tune finds better settings, confirms them on held-out cases, and they are best in the experiment', async () => {
  const { body: experiment } = await system.client.post('/api/experiments', {
    name: 'Settings',
    suite_id: system.suiteId,
  });
  const asBefore = { suite_id: system.suiteId, models: [`sim::${MODEL}`], ...BASE, experiment_id: experiment.id };
  await system.ended((await system.client.post('/api/tool-eval', asBefore)).body.job_id);

  const { tune_id, job_id } = await system.submit({ experiment_id: experiment.id });
  expect(await system.ended(job_id)).toMatchObject({
    status: 'completed',
    error: null,
    progress: { errored: 0, percent: 100 },
  });
  const found = await system.tune(tune_id);
  const [{ recommended, holdout, outcome }] = found.targets as [ParamTune['targets'][0]];
  expect(outcome).toBe('confirmed');
  expect(recommended!.config).toMatchObject({ top_p: 0.3, tool_choice: 'required' });
  expect(Math.abs(Number(recommended!.config.temperature) - 0.3)).toBeLessThanOrEqual(0.2);
  expect(holdout).toMatchObject({ verdict: 'improved', n_cases: 18 });
  const { done } = (await system.job(job_id)).progress;
  expect(done / found.planned_requests).toBeGreaterThan(0.9);
  expect(done / found.planned_requests).toBeLessThanOrEqual(1);

  // The run of the winner is ordinary, and compared as any: the figure that it was chosen by is nowhere in it.
  const run = await system.get(`/api/tool-eval/history/${found.promoted_eval_id}`);
  expect(run).toMatchObject({
    status: 'completed',
    experiment_id: experiment.id,
    orchestrator: { type: 'param_tune', id: tune_id },
    config: { temperature: recommended!.config.temperature, tool_choice: 'required', params: { top_p: 0.3 } },
    counts: { total: 60, errored: 0 },
    actual: { requests: 60, cached: 0 },
  });
  await until(async () => !(await system.get(`/api/experiments/${experiment.id}`)).refreshing);
  expect((await system.get(`/api/experiments/${experiment.id}`)).best).toMatchObject({
    eval_id: run.id,
    source: 'param_tune',
    source_id: tune_id,
    comparison: { verdict: 'improved' },
  });
  const { items: timeline } = await system.get(`/api/experiments/${experiment.id}/timeline`);
  expect(timeline.map(({ type, id, score }: any) => [type, id, score])).toEqual([
    ['eval', expect.any(String), expect.any(Number)],
    ['eval', run.id, run.score],
    ['param_tune', tune_id, null],
  ]);
  expect(timeline[2]).toMatchObject({
    combos: 45,
    promoted_eval_id: run.id,
    holdout: [{ recommended: recommended!.arm, outcome: 'confirmed', difference: holdout!.difference }],
  });

  // Its other runs are in no history, unless they are asked for.
  const listed = (await system.get(`/api/tool-eval/history?suite_id=${system.suiteId}&limit=200`)).items;
  expect(listed.filter(({ orchestrator }: any) => orchestrator !== null).map(({ id }: any) => id)).toEqual([run.id]);
  expect(
    (await system.get(`/api/tool-eval/history?suite_id=${system.suiteId}&orchestrated=true&limit=200`)).items.length,
  ).toBeGreaterThan(60);
  // Without the tune, it stays what it is.
  expect((await system.client.delete(`${ROUTE}/history/${tune_id}`)).status).toBe(204);
  expect(await system.get(`/api/tool-eval/history/${run.id}`)).toMatchObject({ score: run.score, orchestrator: null });
});

it('combinations whose requests are the same are asked once', async () => {
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

it('a spent budget ends a tune with what it knows, and a larger one lets it go on without paying again', async () => {
  const before = await system.requests(MODEL);
  const asked = {
    mode: 'grid',
    search_space: { temperature: [0.3], tool_choice: ['required'], top_p: [0.3] },
    seed: 7,
    cache: 'off',
  };
  const { tune_id, job_id } = await system.submit({ ...asked, budget: { max_requests: 200 } });
  expect(await system.ended(job_id)).toMatchObject({ status: 'budget_exceeded' });
  const stopped = await system.tune(tune_id);
  expect(stopped.notes).toEqual([expect.stringMatching(/the budget ends it before/)]);
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
