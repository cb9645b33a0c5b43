import { has, PHRASES, joinPromptTuneSystem } from '../prompt-tune-system.js';

let system: Awaited<ReturnType<typeof joinPromptTuneSystem>>;
beforeAll(async () => void (system = await joinPromptTuneSystem(['ignores', 'copies', 'quick', 'evolves'])));

it('a model that ignores its prompts keeps the base', async () => {
  await system.control('prompt-sensitive/ignores', { base: 0.4, rules: [] });
  const { tune_id, job_id } = await system.submit('ignores', { max_evals: 300 });
  await system.ended(job_id);
  expect(await system.tune(tune_id)).toMatchObject({
    outcome: 'not_confirmed',
    best: 0,
    prompt_version_id: null,
    text: 'Keep the base: no text did better on the selection cases.',
  });
});

it('a meta model that copies its examples is caught', async () => {
  await system.control('meta/copies', { rules: [], copy_examples: true });
  const { tune_id, job_id } = await system.submit('copies', { max_evals: 300 });
  await system.ended(job_id);
  expect(await system.tune(tune_id)).toMatchObject({ outcome: 'not_confirmed', best: 0 });
  const [, ...made] = await system.candidates(tune_id);
  expect(made).toHaveLength(10);
  for (const { state, reason } of made) {
    expect(state).toBe('rejected');
    expect(reason).toMatch(/^It (repeats words of a case|contains an expected value of a case)/);
  }
});

it.each(['quick', 'evolutionary'])('the mode %s finds better texts, too', async (mode) => {
  const name = mode === 'quick' ? 'quick' : 'evolves';
  const { tune_id, job_id } = await system.submit(name, { mode });
  await system.ended(job_id);
  const found = await system.tune(tune_id);
  expect(found).toMatchObject({ outcome: 'confirmed', prompt_version_id: expect.any(String) });
  expect(PHRASES.filter((phrase) => has(found.texts!, phrase)).length).toBeGreaterThan(0);
  const shown = await system.wordsShown(name, tune_id);
  expect(shown).toEqual({ reflect: expect.any(Number), select: 0, heldOut: 0 });
  expect(shown.reflect).toBeGreaterThan(4);
});
