import type { Experiment, ExperimentSince } from '#lib/contracts/experiment';
import { changedWords, fallOfModel, standingWords, worseModels, worstWords } from './standing-words.js';

const worst = { target: 'acme::b', verdict: 'regressed', difference: -0.24, ci: [-0.3, -0.1], from: 0.77, to: 0.53 };
const since = (change: Partial<ExperimentSince>): ExperimentSince => ({
  state: 'worse',
  run: { id: '01a2243f-0000-7000-8000-0000deadbeef', name: 'Nightly 8', finished_at: '' },
  runs: 3,
  of: 5,
  difference: -0.09,
  regressed: 1,
  models: 3,
  worst: worst as ExperimentSince['worst'],
  changed: [],
  before: '',
  text: '',
  ...change,
});
const unnamed = { ...since({}).run, name: null };

it.each([
  [{}, 'worse since Nightly 8, 3 of the last 5', 'failed'],
  [{ runs: 5 }, 'worse since Nightly 8, all of the last 5', 'failed'],
  [{ runs: 1, of: 1, run: unnamed }, 'worse since run deadbeef', 'failed'],
  [{ state: 'better', runs: 2, of: 2 }, 'better since Nightly 8, all of the last 2', 'passed'],
  [{ state: 'as_good', runs: 1 }, 'as good for 1 run', 'plain'],
  [{ state: 'as_good' }, 'as good for 3 runs', 'plain'],
  [{ state: 'unclear' }, 'too close to call', 'waiting'],
] satisfies [Partial<ExperimentSince>, string, string][])('%j is said as "%s"', (change, words, kind) => {
  expect(standingWords(since(change))).toEqual([words, kind]);
});

it('the model that broke is named, alone or with others, and what was changed', () => {
  expect([worseModels(since({})), worstWords(since({}))]).toEqual(['b', '77.0 % to 53.0 %.']);
  const three = since({ regressed: 3 });
  expect([worseModels(three), worstWords(three)]).toEqual(['b and 2 more', 'b: 77.0 % to 53.0 %.']);
  expect(worseModels(since({ regressed: 0 }))).toBeUndefined();
  expect(worstWords(since({ regressed: 0 }))).toBeUndefined();
  expect(changedWords(since({}))).toBe('Nothing in the settings changed.');
  expect(changedWords(since({ changed: ['temperature 0.7', 'system prompt'] }))).toBe(
    'Changed: temperature 0.7, system prompt.',
  );
});

it('where the last runs show nothing, the model whose level fell most since the baseline is named', () => {
  const unclear = since({ state: 'unclear' });
  const of = { since: unclear, measure: 'overall', margin: 0.02, baseline_eval_id: '1' } as Experiment;
  const model = (target: string, from: number, to: number, run_id = '2') => ({
    ...{ target, first: from, last: to },
    shift: { run_id, name: 'Night 231', finished_at: '', from, to },
  });
  const none = { target: 'c', first: 1, last: 1, shift: null };
  const models = [model('a', 0.8, 0.7), none, model('b', 0.86, 0.45), model('d', 0.1, 0.9)];
  expect(fallOfModel(of, models)).toMatchObject({ target: 'b', name: 'Night 231', from: 0.86, to: 0.45 });
  expect(fallOfModel(of, [model('a', 0.8, 0.79)])).toBeUndefined();
  expect(fallOfModel(of, [model('a', 0.8, 0.5, '0')])).toBeUndefined();
  expect(fallOfModel({ ...of, since: since({}) }, models)).toBeUndefined();
  expect(fallOfModel({ ...of, measure: 'passed' }, models)).toBeUndefined();
});
