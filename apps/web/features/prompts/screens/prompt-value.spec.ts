import { newPrompt, promptOf } from './prompt-value.js';

const inSuite = { system_prompt: 'Be brief.', 'tools/get_weather/description': 'Weather' };

it('a version keeps the texts that differ from those of the suite', () => {
  const begun = newPrompt('s', inSuite);
  expect(promptOf(begun, inSuite)).toMatchObject({ components: {}, parent_id: null });
  const typed = { ...begun, components: { ...inSuite, system_prompt: '' }, label: 'None', tags: ['a'] };
  expect(promptOf(typed, inSuite)).toEqual({
    suite_id: 's',
    components: { system_prompt: '' },
    label: 'None',
    tags: ['a'],
    parent_id: null,
  });
});

it('a version made from another one starts with its texts', () => {
  const parent = { id: 'v', components: { system_prompt: 'Be kind.' } };
  expect(promptOf(newPrompt('s', inSuite, parent), inSuite)).toMatchObject({
    components: { system_prompt: 'Be kind.' },
    parent_id: 'v',
  });
});
