import type { SearchMatch } from '#lib/contracts/search';
import { actionsOf, groupsOf, matchingEntries } from './entries.js';

const names = (text: string): string[] =>
  matchingEntries(
    actionsOf(() => {}),
    text,
  ).map(({ name }) => name);

it('an action is found by words in its name and by other words for it, those that begin so first', () => {
  expect(names('new s')).toContain('New suite');
  expect(names('dark')).toEqual(['Change theme']);
  expect(names('tune')).toEqual(['Tune parameters', 'Tune prompts']);
  expect(names('GO to RU')).toEqual(['Go to runs']);
  expect(names('weather')).toEqual([]);
});

it('matches are shown by type, the type of the best match first, each beside its suite', () => {
  const suite = { id: 's', name: 'Office' };
  const match = (type: SearchMatch['type'], id: string, name: string): SearchMatch => ({
    ...{ type, id, name, status: null, at: null },
    suite: type === 'suite' || type === 'model' ? null : suite,
  });
  const found = [match('run', 'r', 'Nightly'), match('model', 'p::m', 'Fast'), match('run', 'o', 'Office')];
  expect(groupsOf(found)).toMatchObject([
    { name: 'Runs', entries: [{ name: 'Nightly', about: 'Office' }, { name: 'Office' }] },
    { name: 'Models', entries: [{ name: 'Fast', about: 'p::m', to: { search: { model: 'p::m' } } }] },
  ]);
  expect(groupsOf(found)[0]!.entries[1]).not.toHaveProperty('about');
});
