import type { Run } from '#lib/contracts/run';
import { RunInput } from '#lib/contracts/run';
import { emptyRun, fromRun, requestOf } from './new-run.js';

const SUITE = '019aa8a2-5c1e-7000-8000-000000000011';
const chosen = { ...emptyRun(SUITE), models: ['p::m'] };
const asked = (run: typeof chosen): RunInput => {
  const written = requestOf(run);
  return RunInput.parse(JSON.parse('body' in written ? written.body : '{}'));
};

describe('the judge of a run', () => {
  it('is none, unless it is chosen', () => {
    expect(asked(chosen).judge).toBeUndefined();
    const judge = { judge: null, when: 'after', below: 1 };
    expect(asked({ ...chosen, judgeWhen: 'after', judgeBelow: '' }).judge).toEqual(judge);
  });

  it('is that of an earlier run', () => {
    const judge = { judge: 'p::judge', when: 'inline' as const, below: 0.5 };
    const config = { ...asked(chosen), models: [{ provider_key: 'p', model_id: 'm' }], judge };
    const earlier = { suite: { id: SUITE }, experiment_id: null, config } as unknown as Run;
    expect(fromRun(earlier)).toMatchObject({ judgeWhen: 'inline', judge: 'p::judge', judgeBelow: '0.5', more: '' });
    expect(asked(fromRun(earlier)).judge).toEqual(judge);
  });
});
