import { comparedVersions } from './compared-versions.js';

const versions = [
  { version: 7, is_current: true },
  { version: 4, is_current: false },
  { version: 1, is_current: false },
];

it.each([
  ['an earlier version with the current one', 4, undefined, { from: 4, to: 7 }],
  ['the current version with the latest before it', 7, undefined, { from: 4, to: 7 }],
  ['the two requested versions, the earlier one first', 7, 1, { from: 1, to: 7 }],
  ['nothing with itself', 4, 4, undefined],
])('compares %s', (_what, shown, asked, expected) => {
  expect(comparedVersions(shown, asked, versions)).toEqual(expected);
});

it('compares nothing where a suite has one version', () => {
  expect(comparedVersions(1, undefined, [{ version: 1, is_current: true }])).toBeUndefined();
});
