import { JudgementsQuery } from '#lib/judge/contract';
import { judgementsQueryOf, reportSearch } from './address.js';

describe('the address of a report', () => {
  it('builds the API query without invalid values', () => {
    const search = reportSearch({ target: 'p::m', agreement: 'kinder', suspicious: true, state: 'gone', after: 'x' });
    expect(search).toEqual({ target: 'p::m', agreement: 'kinder', suspicious: true });
    const query = judgementsQueryOf({ ...search, expectation_at_fault: false, after: 49 });
    expect(String(query)).toBe('target=p%3A%3Am&agreement=kinder&suspicious=true&expectation_at_fault=false&cursor=49');
    expect(JudgementsQuery.parse(Object.fromEntries(query))).toMatchObject({ suspicious: true, agreement: 'kinder' });
  });
});
