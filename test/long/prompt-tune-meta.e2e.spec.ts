import { joinPromptTuneSystem } from '../prompt-tune-system.js';

const AWAY = [
  ['down', 503, /HTTP 503|503/],
  ['slow', 'hang', /1 s|timeout|timed out/i],
] as const;
const modelOf = (name: string): string => encodeURIComponent(`meta:${name}`);

let system: Awaited<ReturnType<typeof joinPromptTuneSystem>>;
/** In parallel, because each of them is tried for some seconds. */
const submitted: Record<string, { tune_id: string; job_id: string }> = {};
beforeAll(async () => {
  system = await joinPromptTuneSystem(['down', 'slow', 'nonsense']);
  for (const [name, status] of AWAY) {
    await system.control(`models/${modelOf(name)}`, { on: false, status });
    submitted[name] = await system.submit(name, { max_evals: 300, meta_params: { timeout_s: 1 } });
  }
});

it.each(AWAY)(
  'a meta model that is %s ends its tune with the reason; once it is back, a resume continues',
  async (name, _status, reason) => {
    const { tune_id, job_id } = submitted[name]!;
    const ended = await system.ended(job_id);
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringMatching(reason) });
    expect(ended.error).toMatch(/^The meta model sim::meta:(down|slow) failed: /);
    const { evaluations } = await system.tune(tune_id);
    expect(evaluations).toBe(42);

    await system.control(`models/${modelOf(name)}`, { on: true });
    const asked = await system.requests(`prompt-sensitive:${name}`);
    const { body } = await system.client.post(`/api/jobs/${job_id}/resume`);
    await system.ended(body.job_id);
    const found = await system.tune(tune_id);
    expect(found).toMatchObject({ status: 'completed', outcome: 'confirmed' });
    // Scored items are not requested again.
    const { progress } = await system.get(`/api/jobs/${body.job_id}`);
    expect(await system.requests(`prompt-sensitive:${name}`)).toBeLessThanOrEqual(asked + progress.total);
    expect(asked).toBe(42);
  },
  180_000,
);

it.each(['nonsense', 'wrong_schema'])('a meta model that replies %s gets two requests each time', async (reply) => {
  await system.control('meta/nonsense', { rules: [], reply });
  const { tune_id, job_id } = await system.submit('nonsense', { max_evals: 300 });
  expect(await system.ended(job_id)).toMatchObject({ status: 'completed', error: null });
  expect(await system.tune(tune_id)).toMatchObject({ outcome: 'not_confirmed', best: 0, meta: { requests: 20 } });
});
