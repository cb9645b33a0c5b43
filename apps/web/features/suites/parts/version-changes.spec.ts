import { changesInWords } from './version-changes.js';

const none = { added: 0, removed: 0, changed: 0, items: [] };

it('what changed between two versions is said on one line', () => {
  expect(
    changesInWords({
      settings: [{ path: 'system_prompt', a: 'a', b: 'b' }],
      tools: { added: ['f'], removed: [], changed: [] },
      cases: { ...none, added: 1_200, changed: 1 },
    }),
  ).toBe('1,200 cases added, 1 case changed, 1 tool added, system prompt');
  expect(changesInWords({ settings: [], tools: { added: [], removed: [], changed: [] }, cases: none })).toBe('nothing');
});
