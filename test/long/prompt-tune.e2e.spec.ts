import { has, PHRASES, ROUTE, joinPromptTuneSystem } from '../prompt-tune-system.js';

let system: Awaited<ReturnType<typeof joinPromptTuneSystem>>;
beforeAll(async () => void (system = await joinPromptTuneSystem(['learns'])));

it('a reflective tune finds better texts, confirms them on unseen cases, and keeps them as a version', async () => {
  const { tune_id, job_id } = await system.submit('learns', { max_evals: 300 });
  expect(await system.ended(job_id)).toMatchObject({ status: 'completed', error: null });
  const found = await system.tune(tune_id);
  expect(found).toMatchObject({
    outcome: 'confirmed',
    step: 'done',
    cases: { tuning: 42, reflect: 24, select: 18, holdout: 18 },
    holdout: { verdict: 'improved', n_cases: 18 },
  });
  expect(PHRASES.map((phrase) => has(found.texts!, phrase))).toEqual([true, true, true]);
  expect(found.evaluations).toBeLessThanOrEqual(300);

  expect(await system.wordsShown('learns', tune_id)).toEqual({ reflect: expect.any(Number), select: 0, heldOut: 0 });
  expect(await system.metaRequests('learns')).toHaveLength(found.meta.requests);
  const { items: paidFor } = await system.get('/api/spending?by=suite');
  expect(paidFor.map(({ suite }: any) => suite)).toEqual([expect.objectContaining({ id: system.suiteId })]);

  const candidates = await system.candidates(tune_id);
  expect(candidates[0]).toMatchObject({ candidate: 0, kind: 'base', parents: [], changed: {} });
  const best = candidates.find(({ state }) => state === 'best')!;
  expect(best).toMatchObject({ candidate: found.best, scores: { holdout: found.holdout!.mean_b } });
  for (const { kind, state, reason, why, meta } of candidates.slice(1)) {
    expect(state === 'rejected').toBe(reason !== null);
    expect(why).toEqual(expect.any(String));
    expect(meta !== null).toBe(kind === 'reflection');
  }
  const diff = await system.get(`${ROUTE}/history/${tune_id}/candidates/${found.best}/diff?to=0`);
  expect(diff.components.map(({ component }: any) => component)).toEqual(PHRASES.map(({ component }) => component));
  expect(diff.components[0].hunks).toContainEqual({ op: 'added', text: expect.stringContaining('one tool at once') });

  // The suite is unchanged. A run may use the version.
  const version = await system.get(`/api/prompt-versions/${found.prompt_version_id}`);
  expect(version).toMatchObject({ source: 'prompt_tune', origin: { tune_id, candidate: found.best } });
  expect(await system.get(`/api/tool-suites/${system.suiteId}`)).toMatchObject({ version: 1 });
  const model = 'sim::prompt-sensitive:learns';
  const asked = { suite_id: system.suiteId, models: [model], prompt_version_id: version.id };
  const { job_id: runJob, eval_id } = (await system.client.post('/api/tool-eval', asked)).body;
  await system.ended(runJob);
  expect((await system.get(`/api/tool-eval/history/${eval_id}`)).score).toBeGreaterThan(0.7);
});
