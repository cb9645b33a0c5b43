import type { SuiteFile } from '../suite.js';

/** A template for imports: one tool, and one case of each common kind. */
export const exampleSuite: SuiteFile = {
  name: 'Weather API Suite',
  description: 'Tests weather tool calling',
  system_prompt: null,
  pass_threshold: 1,
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Get current weather for a city',
        parameters: {
          type: 'object',
          properties: {
            city: { type: 'string', description: 'City name' },
            units: { type: 'string', enum: ['celsius', 'fahrenheit'] },
          },
          required: ['city'],
        },
      },
    },
  ],
  test_cases: [
    { prompt: "What's the weather in Paris?", expected_tool: 'get_weather', expected_params: { city: 'Paris' } },
    {
      prompt: 'Temperature in Tokyo in Fahrenheit',
      expected_tool: 'get_weather',
      expected_params: { city: 'Tokyo', units: 'fahrenheit' },
    },
    { prompt: 'Thank you, that was all.', expected_tool: null },
  ],
};
