import { nearestFirst } from './quota-words.js';

it('what is at its limit comes first, then what is near it; the others keep their order', () => {
  const quotas = [
    { name: 'suites', limit: 10, used: 7 },
    { name: 'cases', limit: 10, used: 8 },
    { name: 'lanes', limit: 0, used: 0 },
    { name: 'users', limit: 10, used: 12 },
    { name: 'tokens', limit: 10, used: null },
  ];
  expect(nearestFirst(quotas).map(({ name }) => name)).toEqual(['lanes', 'users', 'cases', 'suites', 'tokens']);
});
