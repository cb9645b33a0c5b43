import { JudgementsQuery } from '#lib/judge/queries';
import { judgementsFilter, reportSearch } from './address.js';

it('the address of a report becomes a query of the API without invalid values', () => {
  const search = reportSearch({ target: 'p::m', agreement: 'kinder', suspicious: true, state: 'gone', after: 'x' });
  expect(search).toEqual({ target: 'p::m', agreement: 'kinder', suspicious: true });
  const query = { target: 'p::m', agreement: 'kinder', expectation_at_fault: false, suspicious: true, cursor: 49 };
  expect(judgementsFilter({ ...search, expectation_at_fault: false, after: 49 })).toEqual(query);
  const inPath = Object.entries(query).map(([key, value]) => [key, String(value)]);
  expect(JudgementsQuery.parse(Object.fromEntries(inPath))).toMatchObject({ suspicious: true, agreement: 'kinder' });
});
