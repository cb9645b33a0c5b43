/** Example files by format. They can be imported unchanged. */
export const CSV_EXAMPLE =
  'prompt,expected_tool,expected_params\nWhat is the weather in Paris?,get_weather,"{""city"": ""Paris""}"\n';
export const JSONL_EXAMPLE =
  '{"prompt": "What is the weather in Paris?", "expected_tool": "get_weather", "expected_params": {"city": "Paris"}}\n';
export const YAML_EXAMPLE =
  'name: Weather\ntools:\n- type: function\n  function: { name: get_weather }\ntest_cases:\n- { ' +
  'prompt: What is the weather in Paris?, expected_tool: get_weather }\n';

const jsonLines = (lines: object[]): string => lines.map((line) => JSON.stringify(line)).join('\n');
const reply = {
  role: 'assistant',
  tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
};
/** Recorded replies as JSON lines. */
export const RECORDED_EXAMPLE = jsonLines([
  { case: 'Tokyo in Fahrenheit', sample: 0, reply },
  { case: 'Tokyo in Fahrenheit', sample: 1, error: 'The agent ran out of memory.' },
]);
/** Labels as JSON lines. */
export const LABELS_EXAMPLE = jsonLines([
  { result_id: '0-1-0', label: 'wrong', note: 'The user asked for Fahrenheit.' },
  { result_id: '0-0-0', label: 'acceptable' },
]);
