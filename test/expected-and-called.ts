/** Expectations of test cases: one tool, one of two, none, and two calls. */
export const EXPECTATIONS = [
  { expected_tool: 'get_weather' },
  { expected_tool: ['get_time', 'get_weather'] },
  { expected_tool: null },
  { expected_calls: [{ tool: 'get_time' }, { tool: 'get_weather' }] },
];

/** Calls of stored results, as JSON. */
export const CALLED = [
  '[{"name":"get_weather","arguments":{}}]',
  '[{"name":"GET_TIME","arguments":{"text":"\\u0000"}}]',
  '[]',
  '[{"name":"search","arguments":{}}]',
  '[{"name":"search","arguments":{}},{"name":"get_time","arguments":{}}]',
];
