import { parseJson } from '#lib/contracts/json/json';
import { deltaFromBaselineText, bestSettings } from './experiment-texts.js';

const compared = {
  verdict: 'improved',
  difference: 0.06,
  ci: [0.02, 0.09],
  n_cases: 60,
  small: false,
  text: '',
} as const;
const entry = { delta: 0.06, differs: [], comparison: { ...compared, ci: [0.02, 0.09] as [number, number] } };

it.each([
  [{ is_baseline: true }, 'the baseline'],
  [{}, '+6.0 points (+2.0 to +9.0)'],
  [{ delta: 0.04 }, '+4.0 points of score; compared +6.0 points (+2.0 to +9.0)'],
  [
    { delta: null, differs: ['targets' as const] },
    'no delta (other models); over the common cases +6.0 points (+2.0 to +9.0)',
  ],
  [
    { delta: null, comparison: null, differs: ['targets' as const, 'cases' as const] },
    'no delta (other models, too few common cases)',
  ],
  [{ delta: null, comparison: null }, 'not compared'],
])('the difference from the baseline is shown in points: %j', (change, words) => {
  expect(deltaFromBaselineText({ ...entry, is_baseline: false, ...change })).toBe(words);
});

it('the best settings are named one by one, with numbers as written and no JSON', () => {
  const config = parseJson(
    '{"models":["a::b"],"samples":1,"temperature":0.50,"tool_choice":"auto","params":{"top_p":1.0},' +
      '"system_prompt":"x","metrics":["m",{"id":"bfcl_ast"}],"base_prompt":null,"tool_overrides":{}}',
  );
  expect(bestSettings(config as never)).toEqual([
    ['Samples', '1'],
    ['Temperature', '0.50'],
    ['Tool choice', 'auto'],
    ['Params', 'top_p 1.0'],
    ['System prompt', 'x'],
    ['Metrics', 'm, bfcl_ast'],
  ]);
  expect(bestSettings(null)).toBeNull();
});
