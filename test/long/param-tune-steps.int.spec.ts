// Private stores: the test is the only worker.
import { cancelJob } from '#lib/db/engine/cancel-job';
import { resumeOrchestration } from '#lib/db/engine/resume-orchestration';
import { removeParent } from '#lib/db/upkeep/delete-parents';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import { openTunes, type Skill } from '../tunes.js';
import { until } from '../until.js';

let tunes: Awaited<ReturnType<typeof openTunes>>;
beforeAll(async () => void (tunes = await openTunes()), 60_000);
afterAll(() => tunes.close());

const aTune = (...input: Parameters<typeof tunes.aTune>) => tunes.aTune(...input);

/** 63 combinations and the base, which has no top_p. */
const SPACE = { temperature: { min: 0, max: 1, step: 0.05 }, top_p: [0.2, 0.5, 1] };
/** Correct for a share of the cases that peaks at a temperature of 0.5 and the smallest top_p. */
const skilled: Skill = ({ temperature, top_p = 1 }, position) => {
  const share = 0.9 - Math.abs(Number(temperature) - 0.5) - 0.2 * Number(top_p);
  return Number(((position * 37) % 100) / 100 < share);
};
const constant: Skill = (_config, position) => Number(position % 3 > 0);
const stepsOf = async (tune: { children(): Promise<{ step: string }[]> }): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { step } of await tune.children()) counts[step] = (counts[step] ?? 0) + 1;
  return counts;
};
const outcomeOf = ({ targets: [target] }: ParamTune) => ({
  arm: target!.recommended?.arm,
  outcome: target!.outcome,
  text: target!.text,
});
const named = (arms: readonly TuneArm[], state: TuneArm['state']): number[] =>
  arms.filter((arm) => arm.state === state).map(({ arm }) => arm);

describe('an adaptive search', () => {
  const play = async () => {
    const tune = await aTune({ search_space: SPACE });
    return { tune, found: await tune.end(skilled) };
  };
  let played: ReturnType<typeof play> | undefined;
  /** One search for all assertions about it. */
  const search = () => (played ??= play());

  it('tries few combinations on few cases, drops most, and confirms the best on held-out cases', async () => {
    const { tune, found } = await search();
    expect(found).toMatchObject({ status: 'completed', step: 'done', cases: { tuning: 42, holdout: 18 } });
    expect(outcomeOf(found)).toEqual({
      arm: expect.any(Number),
      outcome: 'confirmed',
      text: expect.stringMatching(
        /^Take temperature 0\.[456]\d*, top_p 0\.2: on the held-out cases, it is better by \d+ points \(95 %: /,
      ),
    });
    // Eight cases; the most promising arms on 24; the best on all; then three more samples of them and of the base.
    const steps = await stepsOf(tune);
    expect(steps).toEqual({ 'rung-1': 64, 'rung-2': 22, 'rung-3': 8, finalists: 8, holdout: 4 });
    const arms = await tune.arms();
    expect(named(arms, 'dropped')).toHaveLength(56);
    expect(named(arms, 'finalist')).toHaveLength(7);
    const [recommended] = arms.filter(({ state }) => state === 'recommended');
    expect(recommended).toMatchObject({ rung: 'finalists', cases: 42, samples: 168, errored: 0 });
    expect(recommended!.runs.map(({ rung }) => rung)).toEqual(['rung-1', 'rung-2', 'rung-3', 'finalists', 'holdout']);
  });

  it('measures the base as often as the combinations it recommends instead', async () => {
    const { tune, found } = await search();
    const [base] = await tune.arms();
    const { recommended, holdout } = found.targets[0]!;
    expect(base).toMatchObject({ arm: 0, cases: recommended!.cases, samples: recommended!.samples });
    expect(holdout!.samples).toEqual([3, 3]);
    expect(holdout!.n_cases).toBe(18);
  });

  it('logs each arm and rung it measures once', async () => {
    const { tune, found } = await search();
    const log = await tune.log();
    const names = log.map(([name]) => name);
    expect(names.filter((name) => name !== 'tune_combo_result')).toEqual([
      'job_created',
      'tune_start',
      'tune_complete',
      'job_completed',
    ]);
    expect(log[1]![1]).toMatchObject({ kind: 'param_tune', arms: 64, cases: found.cases });
    const logged = log.filter(([name]) => name === 'tune_combo_result').map(([, data]) => `${data.rung} ${data.arm}`);
    expect(logged).toHaveLength(64 + 22 + 8 + 8);
    expect(new Set(logged).size).toBe(logged.length);
    expect(log.at(-2)![1]).toMatchObject({
      targets: [{ recommended: found.targets[0]!.recommended!.arm, outcome: 'confirmed' }],
      promoted_eval_id: null,
    });
  });

  it('finds the same with the same seed and replies', async () => {
    const [one, other] = [await search(), await play()];
    expect(outcomeOf(one.found)).toEqual(outcomeOf(other.found));
    const madeFor = async ({ tune }: typeof one) => (await tune.children()).map(({ step, arm }) => `${step} ${arm}`);
    expect(await madeFor(one)).toEqual(await madeFor(other));
  });

  it('moves by whole rungs, even when a worker comes late to a step that another has made', async () => {
    const tune = await aTune({ search_space: SPACE });
    const makeSteps = await tune.foundByAWorker();
    await tune.step();
    await makeSteps();
    expect(await stepsOf(tune)).toEqual({ 'rung-1': 64 });
  });

  it('follows the replies: others lead to other combinations', async () => {
    const space = { temperature: { min: 0, max: 1, step: 0.01 }, top_p: [0.2, 0.5, 1] };
    const other: Skill = ({ temperature }, position) => Number((position * 37) % 100 < 100 * Number(temperature));
    const [one, two] = [await aTune({ search_space: space }), await aTune({ search_space: space })];
    const tried = async (tune: typeof one, step: string) =>
      (await tune.children()).filter((child) => child.step === step).map(({ arm }) => arm);
    for (const [tune, skill] of [
      [one, skilled],
      [two, other],
    ] as const)
      await until(async () => {
        await tune.step();
        await tune.reply(skill);
        return (await tried(tune, 'rung-1.1')).length > 0;
      });
    expect(await tried(one, 'rung-1')).toEqual(await tried(two, 'rung-1'));
    expect(await tried(one, 'rung-1.1')).not.toEqual(await tried(two, 'rung-1.1'));
  });
});

describe('the recommendation', () => {
  const grid = { mode: 'grid', search_space: { temperature: [0, 0.5], top_p: [0.5, 1] }, base: { temperature: 1 } };

  it('is the base when everything does equally well, without requests to confirm it', async () => {
    const tune = await aTune(grid);
    expect(outcomeOf(await tune.end(constant))).toEqual({
      arm: 0,
      outcome: 'base',
      text: 'Keep the base: no combination is shown to be better, or as good and cheaper or faster.',
    });
    expect(await stepsOf(tune)).toEqual({ all: 5, finalists: 5 });
    expect((await tune.arms()).map(({ tied }) => tied)).toEqual([true, true, true, true, true]);
  });

  it('is not confirmed when it did well only on the cases it was chosen by', async () => {
    const tune = await aTune(grid);
    const lucky: Skill = ({ temperature }, position, { step }) =>
      Number(step === 'holdout' ? position % 3 > 0 : temperature === 0.5 || position % 3 > 0);
    const found = await tune.end(lucky);
    expect(found.targets[0]!.recommended!.config.temperature).toBe(0.5);
    expect(outcomeOf(found)).toMatchObject({
      outcome: 'not_confirmed',
      text: expect.stringMatching(/did best on the tuning cases; on the held-out cases it is not shown to be better/),
    });
  });

  it('is worse when the held-out cases say so, and keeps the base', async () => {
    const tune = await aTune({ ...grid, experiment_id: null });
    const fooled: Skill = ({ temperature }, _position, { step }) =>
      Number((temperature === 0.5) !== (step === 'holdout'));
    expect(outcomeOf(await tune.end(fooled))).toMatchObject({
      outcome: 'worse',
      text: expect.stringMatching(/^Keep the base: .*, but on the held-out cases it is worse by \d+ points \(95 %: /),
    });
  });

  it('is unconfirmed when nothing was held out', async () => {
    const tune = await aTune({ ...grid, holdout: 0 });
    const found = await tune.end(({ temperature }) => Number(temperature === 0.5));
    expect(outcomeOf(found)).toMatchObject({
      outcome: 'unconfirmed',
      text: expect.stringMatching(/an optimistic estimate: none were held out to confirm it\.$/),
    });
    expect(found.cases).toEqual({ tuning: 60, holdout: 0 });
  });

  it('is not an arm with more than 5 % errors, and an error is not a wrong answer', async () => {
    const tune = await aTune(grid);
    const flaky: Skill = ({ temperature }, position) => {
      if (temperature === 0.5) return position % 10 === 0 ? null : 1;
      return Number(position % 3 > 0);
    };
    const found = await tune.end(flaky);
    expect(found.targets[0]!.recommended!.arm).toBe(0);
    const [failed] = (await tune.arms()).filter(({ config }) => config.temperature === 0.5);
    expect(failed).toMatchObject({ mean: 1, state: 'finalist', tied: false });
    expect(failed!.errored).toBeGreaterThan(0);
  });

  it('is empty when nothing has a score', async () => {
    const tune = await aTune({ ...grid, holdout: 0 });
    const found = await tune.end(() => null);
    expect(found).toMatchObject({ status: 'completed', targets: [{ recommended: null, outcome: null, tied: [] }] });
    expect(found.targets[0]!.text).toMatch(/^Nothing is recommended: no combination has scores that can be trusted/);
    expect(await tune.arms()).toMatchObject([{ mean: null, ci: null, pass_rate: null }, {}, {}, {}, {}]);
  });

  it('gets no narrower an interval from more samples of the same cases', async () => {
    const intervals = [];
    for (const samples of [1, 5]) {
      const tune = await aTune({ ...grid, samples, cases: 20, holdout: 0 });
      await tune.end(constant);
      intervals.push((await tune.arms()).map(({ cases, ci }) => ({ cases, ci })));
    }
    expect(intervals[1]).toEqual(intervals[0]);
  });

  it('has numeric intervals when all answers are right, or all wrong, with the fewest cases', async () => {
    for (const score of [0, 1]) {
      const tune = await aTune({ ...grid, cases: 1, holdout: 0 });
      await tune.end(() => score);
      for (const { mean, ci } of await tune.arms()) {
        expect(Object.is(mean, score)).toBe(true);
        for (const bound of ci ?? []) expect(bound >= 0 && bound <= 1 && !Object.is(bound, -0)).toBe(true);
      }
    }
  });
});

describe('several models', () => {
  const asked = { mode: 'grid', search_space: { temperature: [0, 0.5, 1] }, models: ['a', 'b'] };

  it('race separately, and a combination is ranked over both', async () => {
    const tune = await aTune(asked);
    const best = [0.5, 1];
    const found = await tune.end(({ temperature }, position, { target }) =>
      Number(temperature === best[target] || (temperature === 0.5 && position % 4 > 0)),
    );
    expect(found.targets.map(({ recommended }) => recommended!.config.temperature)).toEqual(best);
    expect(found.best_over_models[0]).toMatchObject({ config: { temperature: 0.5 } });
    expect(found.best_over_models.map(({ arm }) => arm)).toHaveLength(3);
  });

  it('are ranked together by combinations that both were measured with on all cases', async () => {
    const tune = await aTune({ search_space: SPACE, models: ['a', 'b'] });
    const found = await tune.end(({ temperature, ...config }, position, child) =>
      skilled({ ...config, temperature: Number(temperature) + 0.25 * child.target }, position, child),
    );
    const arms = await tune.arms();
    for (const { arm, mean } of found.best_over_models) {
      const both = arms.filter((one) => one.arm === arm);
      expect(both.map(({ cases }) => cases)).toEqual([42, 42]);
      expect(mean).toBeCloseTo((both[0]!.mean! + both[1]!.mean!) / 2, 12);
    }
    expect(found.best_over_models.length).toBeGreaterThan(0);
  });

  it('have nothing in common when they have spaces of their own', async () => {
    const tune = await aTune({ ...asked, per_model_search_spaces: { 'sim::b': { top_p: [0.5] } } });
    expect((await tune.end(constant)).best_over_models).toEqual([]);
  });
});

describe('many combinations', () => {
  it('are made a hundred runs at a time', async () => {
    const tune = await aTune({
      mode: 'grid',
      search_space: { top_k: { min: 1, max: 119, step: 1 } },
      holdout: 0,
      cases: 8,
    });
    await tune.step();
    expect(await tune.children()).toHaveLength(100);
    const found = await tune.end(constant);
    expect(found.status).toBe('completed');
    expect(await stepsOf(tune)).toEqual({ all: 120, finalists: 8 });
  });
});

describe('an experiment', () => {
  const experimentOf = async ({ client, suiteId }: { client: any; suiteId: string }): Promise<string> =>
    (await client.post('/api/experiments', { name: 'e', suite_id: suiteId })).body.id;
  const joined = async (more: object = {}) => {
    const tune = await aTune({ mode: 'grid', search_space: { temperature: [0, 0.5] } });
    const experiment = await experimentOf(tune);
    const { body } = await tune.client.post('/api/tool-eval/param-tune', {
      ...(await tune.read()).input,
      experiment_id: experiment,
      ...more,
    });
    expect(body).toMatchObject({ status: 'submitted' });
    return { experiment, tune: await tunes.of(tune.client, body.tune_id) };
  };
  const better: Skill = ({ temperature }, position) => Number(temperature === 0.5 || position % 2 > 0);

  it('gets the winner as a new run over all cases, which the history shows', async () => {
    const { tune, experiment } = await joined();
    const found = await tune.end(better);
    const [run] = await tune.rows('SELECT experiment_id, listed, config FROM run WHERE id = $1', [
      found.promoted_eval_id,
    ]);
    expect(run).toMatchObject({ experiment_id: experiment, listed: true });
    expect(JSON.parse(run.config)).toMatchObject({ temperature: 0.5, cache: 'refresh' });
    expect(await stepsOf(tune)).toMatchObject({ promote: 1 });
    const [child] = (await tune.children()).filter(({ step }) => step === 'promote');
    expect(child).toMatchObject({ cases: 60, status: 'completed' });
  });

  it('gets nothing when the base is best', async () => {
    const { tune } = await joined();
    expect(await tune.end(constant)).toMatchObject({ status: 'completed', promoted_eval_id: null, notes: [] });
  });

  it('that was archived or deleted meanwhile gets nothing, and the tune says so', async () => {
    const [archived, deleted] = [await joined(), await joined()];
    await archived.tune.client.put(`/api/experiments/${archived.experiment}`, { status: 'archived' });
    await deleted.tune.client.delete(`/api/experiments/${deleted.experiment}`);
    for (const [{ tune }, why] of [
      [archived, 'archived'],
      [deleted, 'deleted'],
    ] as const) {
      const found = await tune.end(better);
      expect(found).toMatchObject({ status: 'completed', promoted_eval_id: null, targets: [{ outcome: 'confirmed' }] });
      expect(found.notes).toEqual([expect.stringContaining(`the experiment was ${why}`)]);
    }
  });
});

describe('changes during a tune', () => {
  const asked = { mode: 'grid', search_space: { temperature: [0, 0.5] } };

  it('a model that is removed ends the tune with the reason, and it continues once the model is back', async () => {
    const tune = await aTune(asked);
    await tune.step();
    await tune.client.patch('/api/providers/sim', { models: [{ id: 'another' }] });
    await tune.reply(constant);
    await tune.step();
    expect(await tune.arms()).toMatchObject([{ cases: 42 }, { cases: 42 }]);
    expect(await tune.job()).toMatchObject({
      status: 'failed',
      error:
        'The model sim::a was removed during the tune. Add it again and resume the tune, or submit it without ' +
        'this model.',
    });
    await tune.client.patch('/api/providers/sim', { models: [{ id: 'a' }] });
    expect((await tune.client.post(`/api/jobs/${(await tune.job()).id}/resume`)).status).toBe(202);
    expect(await tune.end(constant)).toMatchObject({ status: 'completed', targets: [{ outcome: 'base' }] });
    expect(await stepsOf(tune)).toEqual({ all: 2, finalists: 2 });
  });

  it('a changed suite changes nothing', async () => {
    const tune = await aTune(asked);
    await tune.step();
    const { test_cases } = (await tune.client.get(`/api/tool-suites/${tune.suiteId}`)).body;
    await tune.client.delete(`/api/tool-suites/${tune.suiteId}/cases/${test_cases[0].id}`);
    const found = await tune.end(constant);
    expect(found).toMatchObject({ status: 'completed', suite_version: 1 });
    expect((await tune.arms()).map(({ cases }) => cases)).toEqual([42, 42]);
  });

  it('a deleted suite ends the tune with the reason, and measurements stay', async () => {
    const tune = await aTune(asked);
    await tune.step();
    expect(await tune.client.delete(`/api/tool-suites/${tune.suiteId}`)).toMatchObject({ status: 409 });
    await tune.reply(constant);
    expect((await tune.client.delete(`/api/tool-suites/${tune.suiteId}`)).status).toBe(204);
    const found = await tune.end(constant);
    expect(found).toMatchObject({ status: 'failed', suite_id: null, suite_name: 'Weather', promoted_eval_id: null });
    expect((await tune.job()).error).toBe(
      'The suite "Weather" was deleted during the tune. The measurements so far are kept with the combinations.',
    );
    expect(await tune.arms()).toMatchObject([
      { cases: 42, rung: 'all' },
      { cases: 42, rung: 'all' },
    ]);
  });

  it('after a cancel it continues where it was, with its measurements', async () => {
    const tune = await aTune({ search_space: SPACE });
    await tune.step();
    await tune.reply(skilled);
    await tune.step();
    const before = await tune.children();
    await cancelJob(tunes.pool, { teamId: tune.teamId, jobId: (await tune.job()).id });
    expect(await tune.read()).toMatchObject({ status: 'cancelled', step: 'search' });
    await tune.step();
    expect(await tune.children()).toHaveLength(before.length);
    const userId = (await tune.rows('SELECT user_id FROM orchestration WHERE id = $1', [tune.id]))[0].user_id;
    await resumeOrchestration(tunes.pool, { teamId: tune.teamId, userId, tokenId: null, jobId: (await tune.job()).id });
    const found = await tune.end(skilled);
    expect(found).toMatchObject({ status: 'completed', targets: [{ outcome: 'confirmed' }] });
    expect(await stepsOf(tune)).toEqual({ 'rung-1': 64, 'rung-2': 22, 'rung-3': 8, finalists: 8, holdout: 4 });
  });

  describe('with errored items that are resumed', () => {
    /** Ends a step of a tune because its model is missing, and resumes it with the model restored. */
    const stopAndResume = async (tune: Awaited<ReturnType<typeof aTune>>, skill: Skill): Promise<void> => {
      await tune.client.patch('/api/providers/sim', { models: [{ id: 'another' }] });
      await tune.reply(skill);
      await tune.step();
      expect(await tune.job()).toMatchObject({ status: 'failed' });
      await tune.client.patch('/api/providers/sim', { models: [{ id: 'a' }] });
      expect((await tune.client.post(`/api/jobs/${(await tune.job()).id}/resume`)).status).toBe(202);
    };
    const better: Skill = ({ temperature }, position) => Number(temperature === 0.5 || position % 3 === 0);

    it('measures each arm by its final results, and ranks by the same', async () => {
      const tune = await aTune({ ...asked, search_space: { temperature: { min: 0, max: 1, step: 0.1 } } });
      await tune.step();
      // The worst arms are not finalists, and therefore get no more runs than before.
      const falling: Skill = ({ temperature }, position) => Number(position >= 20 * Number(temperature));
      await stopAndResume(tune, (config, position, child) => (position % 2 ? null : falling(config, position, child)));
      expect((await tune.arms()).every(({ errored }) => errored > 15)).toBe(true);
      const found = await tune.end(falling);
      const arms = await tune.arms();
      for (const { arm, runs, ...figures } of arms) {
        const ids = runs.filter(({ rung }) => rung !== 'holdout').map(({ eval_id }) => eval_id);
        const [of] = await tune.rows(
          `SELECT count(DISTINCT case_position)::int AS cases, count(*)::int AS samples, avg(overall) AS mean
           FROM result WHERE run_id = ANY ($1) AND outcome = 'scored'`,
          [ids],
        );
        expect({ arm, ...figures }).toMatchObject({ arm, ...of, mean: expect.closeTo(of.mean, 12), errored: 0 });
      }
      expect(found.targets[0]!.recommended).toMatchObject({ arm: 0, mean: Math.max(...arms.map(({ mean }) => mean!)) });
    });

    it('logs new measurements of its arms in its new job, and nothing twice', async () => {
      const tune = await aTune({ ...asked, search_space: { temperature: [0, 0.5, 1] } });
      await tune.step();
      await stopAndResume(tune, (config, position) => (config.temperature === 0.5 && position < 9 ? null : 1));
      await tune.step();
      await tune.reply(() => 1);
      await tune.step();
      const logged = (await tune.log()).filter(([name]) => name === 'tune_combo_result').map(([, data]) => data);
      expect(logged.map(({ config, rung, cases }) => [config.temperature, rung, cases])).toEqual([[0.5, 'all', 42]]);
    });

    it('measures again even after its choice, and requests nothing that it has', async () => {
      const tune = await aTune(asked);
      const mostly: Skill = (config, position, child) =>
        child.step === 'all' && position === 7 ? null : better(config, position, child);
      const hasChosen = async () => (await tune.children()).some(({ step }) => step === 'holdout');
      while (!(await hasChosen())) {
        await tune.step();
        if (!(await hasChosen())) await tune.reply(mostly);
      }
      const chosen = (await tune.read()).targets[0]!.recommended!;
      expect((await tune.arms())[chosen.arm]).toMatchObject({ errored: 1 });
      await stopAndResume(tune, () => null);
      const found = await tune.end(better);
      expect(found).toMatchObject({ status: 'completed', targets: [{ outcome: 'confirmed' }] });
      expect((await tune.arms())[chosen.arm]).toMatchObject({ state: 'recommended', errored: 0, cases: 42 });
      expect(await stepsOf(tune)).toEqual({ all: 2, finalists: 2, holdout: 2 });
    });
  });

  it('recommends one combination after a search elsewhere, and shows what each measured', async () => {
    const space = { temperature: { min: 0, max: 1, step: 0.01 }, top_p: [0.2, 0.5, 1] };
    const tune = await aTune({ search_space: space, budget: { max_requests: 800 } });
    const hot: Skill = ({ temperature }, position) => Number((position * 37) % 100 < 100 * Number(temperature));
    const cold: Skill = ({ temperature }, position) => Number((position * 37) % 100 < 100 - 100 * Number(temperature));
    const mostly: Skill = (config, position, child) =>
      child.step === 'rung-1' && position % 2 ? null : hot(config, position, child);
    const hasChosen = async () => (await tune.children()).some(({ step }) => step === 'holdout');
    while (!(await hasChosen())) {
      await tune.step();
      if (!(await hasChosen())) await tune.reply(mostly);
    }
    await tune.client.patch('/api/providers/sim', { models: [{ id: 'another' }] });
    await tune.reply(hot);
    await tune.step();
    await tune.client.patch('/api/providers/sim', { models: [{ id: 'a' }] });
    const resumed = await tune.client.post(`/api/jobs/${(await tune.job()).id}/resume`, { budget: null });
    expect(resumed.status).toBe(202);
    const before = await stepsOf(tune);
    const found = await tune.end(cold);
    expect(await stepsOf(tune)).not.toEqual(before);
    const arms = await tune.rows(
      `SELECT arm, state, (figures::json->>'cases')::int AS cases FROM tune_arm
       WHERE tune_id = $1 AND state NOT IN ('waiting', 'dropped')`,
      [tune.id],
    );
    expect(new Set(arms.map(({ state }) => state))).toEqual(new Set(['finalist', 'recommended']));
    expect(arms.filter(({ state }) => state === 'recommended')).toMatchObject([
      { arm: found.targets[0]!.recommended!.arm },
    ]);
    expect(arms.map(({ cases }) => cases)).toEqual(Array(arms.length).fill(found.cases.tuning));
  });

  it('deletes its runs with it, except the one that it promoted', async () => {
    const tune = await aTune(asked);
    const { body: experiment } = await tune.client.post('/api/experiments', { name: 'e', suite_id: tune.suiteId });
    const { body } = await tune.client.post('/api/tool-eval/param-tune', {
      ...(await tune.read()).input,
      experiment_id: experiment.id,
    });
    const promoting = await tunes.of(tune.client, body.tune_id);
    const found = await promoting.end(({ temperature }) => Number(temperature === 0.5));
    expect((await tune.client.delete(`/api/tool-eval/param-tune/history/${body.tune_id}`)).status).toBe(204);
    const [{ id: child }] = await tune.rows('SELECT id FROM run WHERE orchestration_id = $1', [body.tune_id]);
    expect((await tune.client.get(`/api/tool-eval/history/${child}`)).status).toBe(404);
    while (await removeParent(tunes.pool, body.tune_id));
    const left = await tune.rows(
      'SELECT id, orchestration_id, listed FROM run WHERE orchestration_id = $1 OR id = $2',
      [body.tune_id, found.promoted_eval_id],
    );
    expect(left).toEqual([{ id: found.promoted_eval_id, orchestration_id: null, listed: true }]);
    expect(await tune.rows('SELECT 1 FROM tune_arm WHERE tune_id = $1', [body.tune_id])).toEqual([]);
  });
});
