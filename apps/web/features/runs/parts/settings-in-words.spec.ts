import { settingLines, systemPromptsOf } from './settings-in-words.js';

it('settings are words, without braces or quotation marks', () => {
  expect(
    settingLines({
      temperature: 0.5,
      samples: 1,
      params: { top_p: 0.9, reasoning: { effort: 'high' } },
      metrics: [
        { id: 'ragas_tool_call_f1', options: { strict: true } },
        { id: 'bfcl_ast', as: 'ast' },
      ],
      case_filter: { tags: ['a', 'b'], category: null },
      tool_overrides: { search: { description: 'Long.' } },
      system_prompt: 'Be brief.',
      models: [],
    }),
  ).toEqual([
    ['Temperature', '0.5'],
    ['Parameters', 'top_p 0.9, reasoning effort high'],
    ['Additional metrics', 'ragas_tool_call_f1 (strict yes), ast'],
    ['Cases', 'tags a or b'],
    ['Tool descriptions', 'search'],
  ]);
  expect(settingLines({ temperature: 0, samples: 1 })).toEqual([]);
});

it('prompts are texts of their own, one for each model that has one', () => {
  expect(systemPromptsOf({ system_prompt: 'Be brief.' })).toEqual([['System prompt', 'Be brief.']]);
  expect(systemPromptsOf({ system_prompt: { 'sim::a': 'A', '*': 'B' } })).toEqual([
    ['System prompt of sim::a', 'A'],
    ['System prompt of the other models', 'B'],
  ]);
});
