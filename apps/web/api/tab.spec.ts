import { tab } from './tab';

const ADA = { personId: 'ada', teamId: 'search' };

beforeEach(() => tab.forget());

it('a tab is whoever it opens for, in one team, until they sign out', () => {
  tab.end(true);
  expect(tab.state()).toBe('valid');
  expect(tab.isOf(ADA)).toBe(true);
  expect(tab.team()).toBe('search');
  expect(tab.isOf({ ...ADA, teamId: 'ads' })).toBe(false);
  expect(tab.isOf({ ...ADA, personId: 'bob' })).toBe(false);
  tab.forget();
  expect(tab.isOf({ personId: 'bob', teamId: 'ads' })).toBe(true);
});

it('requests that fail together ask once; put aside, only what the user does asks again', () => {
  tab.isOf(ADA);
  tab.end(false);
  tab.end(false);
  expect(tab.state()).toBe('ended');
  tab.setAside();
  tab.end(false);
  expect(tab.state()).toBe('set aside');
  tab.end(true);
  expect(tab.state()).toBe('ended');
  const before = tab.resumptions();
  tab.resume();
  expect([tab.state(), tab.resumptions() - before]).toEqual(['valid', 1]);
});

it('a tab that somebody else has signed in to goes on only after a decision', () => {
  tab.isOf(ADA);
  tab.giveAway();
  tab.end(true);
  expect(tab.state()).toBe('foreign');
  tab.askAgain();
  expect(tab.state()).toBe('ended');
});
