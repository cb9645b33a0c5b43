import type { ParamTune } from '#lib/param-tune/contract';
import { until } from '../processes.js';
import { BASE, MODEL, ROUTE, joinTuneSystem } from '../tune-system.js';

let system: Awaited<ReturnType<typeof joinTuneSystem>>;
beforeAll(async () => void (system = await joinTuneSystem()));

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

  // The winner's run is ordinary, and compared like any other: the figure that it was chosen by does not appear in it.
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

  // Its other runs are not listed in the history, unless requested.
  const listed = (await system.get(`/api/tool-eval/history?suite_id=${system.suiteId}&limit=200`)).items;
  expect(listed.filter(({ orchestrator }: any) => orchestrator !== null).map(({ id }: any) => id)).toEqual([run.id]);
  expect(
    (await system.get(`/api/tool-eval/history?suite_id=${system.suiteId}&orchestrated=true&limit=200`)).items.length,
  ).toBeGreaterThan(60);
  // After deletion of the tune, the run is unchanged.
  expect((await system.client.delete(`${ROUTE}/history/${tune_id}`)).status).toBe(204);
  const left = (await system.get(`/api/tool-eval/history?suite_id=${system.suiteId}&orchestrated=true&limit=200`))
    .items;
  expect(left.filter(({ orchestrator }: any) => orchestrator?.id === tune_id)).toEqual([]);
  expect(await system.get(`/api/tool-eval/history/${run.id}`)).toMatchObject({ score: run.score, orchestrator: null });
});
