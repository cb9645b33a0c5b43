import { at, EXAMPLE_IDS } from './example-values.js';

const components = {
  system_prompt: 'You help people with the weather, and with nothing else.',
  'tools/get_weather/description': 'Tells the weather in a city at the moment.',
};
const { system_prompt: _prompt, ...descriptions } = components;
const head = {
  id: EXAMPLE_IDS.prompt,
  suite_id: EXAMPLE_IDS.suite,
  label: 'Says what the tool is not for',
  tags: ['production'],
  source: 'manual',
  parent_id: EXAMPLE_IDS.earlierPrompt,
  origin: null,
  components_count: 2,
  created_by: 'owner',
  created_at: at('09:40:00'),
};
const tuned = { ...head, tags: [], source: 'prompt_tune', origin: { tune_id: EXAMPLE_IDS.promptTune, candidate: 3 } };
const hunks = [
  { op: 'same', text: 'You help people with the weather' },
  { op: 'removed', text: ', and with nothing else' },
  { op: 'same', text: '.' },
];
const componentDiff = {
  component: 'system_prompt',
  from: components.system_prompt,
  to: 'You help people with the weather.',
  hunks,
};

export const PROMPT_EXAMPLES = {
  PromptComponents: {
    'A system prompt and a description': components,
    'A description in the parameters of a tool': {
      'tools/get_weather/parameters/properties/city/description': 'The city, without its country.',
    },
  },
  ToolOverrides: { 'A description': descriptions },
  PromptVersionInput: {
    'A version': { suite_id: EXAMPLE_IDS.suite, components, label: head.label, tags: head.tags },
    'Made from another one': {
      suite_id: EXAMPLE_IDS.suite,
      components: descriptions,
      parent_id: EXAMPLE_IDS.earlierPrompt,
    },
  },
  PromptVersionPatch: { 'A tag': { tags: ['production'] }, 'Another label': { label: 'Shorter' } },
  PromptVersionHead: { 'A version': head, 'One that a tune wrote': tuned },
  PromptVersion: {
    'A version': { ...head, components },
    'One that a tune wrote': { ...tuned, components },
  },
  TextHunk: { 'Words that go': hunks[1] },
  ComponentDiff: { 'A system prompt': componentDiff },
  PromptDiff: {
    'From a version to the suite': { from: EXAMPLE_IDS.prompt, to: 'suite', components: [componentDiff] },
  },
};
