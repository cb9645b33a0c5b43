import { parseJson } from '#lib/contracts/json/json';
import { deltaFromBaselineText, bestSettingsText } from './experiment-texts.js';

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

it('the best settings are described in words, with numbers as written', () => {
  const config = parseJson(
    '{"samples":1,"temperature":0.50,"tool_choice":"auto","params":{"top_p":1.0},"system_prompt":"x","metrics":["m"]}',
  );
  expect(bestSettingsText(config as never)).toBe(
    'samples 1, temperature 0.50, tool choice auto, top_p 1.0, its own system prompt, metrics m',
  );
  expect(bestSettingsText(null)).toBeNull();
});
