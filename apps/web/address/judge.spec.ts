import { AGREEMENTS, Judgement, JUDGEMENTS, JudgementsQuery, PREFERENCES } from '#lib/judge/contract';
import {
  AGREEMENT_WORDS,
  judgementsQueryOf,
  OPINION_WORDS,
  PREFERENCE_WORDS,
  reportSearch,
  STATE_WORDS,
} from './judge.js';

describe('the address of a report', () => {
  it('has words for all that a judge can say', () => {
    expect(Object.keys(OPINION_WORDS)).toEqual([...JUDGEMENTS]);
    expect(Object.keys(PREFERENCE_WORDS)).toEqual([...PREFERENCES]);
    expect(Object.keys(AGREEMENT_WORDS)).toEqual([...AGREEMENTS]);
    expect(Object.keys(STATE_WORDS).sort()).toEqual([...Judgement.shape.state.options].sort());
  });

  it('asks the API for what it says, and leaves out what has a fault', () => {
    const search = reportSearch({ target: 'p::m', agreement: 'kinder', suspicious: true, state: 'gone', after: 'x' });
    expect(search).toEqual({ target: 'p::m', agreement: 'kinder', suspicious: true });
    const query = judgementsQueryOf({ ...search, expectation_at_fault: false, after: 49 });
    expect(String(query)).toBe('target=p%3A%3Am&agreement=kinder&suspicious=true&expectation_at_fault=false&cursor=49');
    expect(JudgementsQuery.parse(Object.fromEntries(query))).toMatchObject({ suspicious: true, agreement: 'kinder' });
  });
});
