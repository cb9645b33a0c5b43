import { optionsInWords, rescoreOf, UNCHANGED } from './rescore-value.js';

it.each([
  [{}, {}],
  [{ threshold: '0.8' }, { pass_threshold: 0.8 }],
  [{ threshold: 'high' }, { pass_threshold: 'high' }],
  [{ rule: 'contains' }, { param_scoring: 'contains' }],
  [{ rule: 'fuzzy', epsilon: '3' }, { param_scoring: 'fuzzy' }],
  [{ rule: 'numeric_tolerance', epsilon: '0.5' }, { scoring_config: { mode: 'numeric_tolerance', epsilon: 0.5 } }],
  [{ rule: 'semantic', similarity: '0.9' }, { scoring_config: { mode: 'semantic', threshold: 0.9 } }],
  [{ metrics: '[{"id": "x"}]' }, { metrics: [{ id: 'x' }] }],
])('a rescore with %j asks for %j', (typed, asked) => {
  const written = rescoreOf({ ...UNCHANGED, ...typed });
  expect('body' in written && JSON.parse(written.body)).toEqual(asked);
});

it('metrics that are not a JSON list are not sent', () => {
  expect(rescoreOf({ ...UNCHANGED, metrics: '{' })).toEqual({ fault: 'The metrics are not a JSON list.' });
});

it('the options of a rescore are shown in words', () => {
  const options = { pass_threshold: 0.8, param_scoring: null, scoring_config: { mode: 'fuzzy' }, metrics: [] };
  expect(optionsInWords(options)).toBe('pass threshold 0.8; arguments compared mode fuzzy');
  expect(optionsInWords({ pass_threshold: null, metrics: [{ id: 'a', as: 'b' }] })).toBe('metrics b');
  expect(optionsInWords({})).toBe('the settings of the run');
});
