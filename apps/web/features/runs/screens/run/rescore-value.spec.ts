import { optionsInWords, rescoreRequest } from './rescore-value.js';

it.each([
  [{}, {}],
  [{ pass_threshold: 0.8 }, { pass_threshold: 0.8 }],
  [{ param_scoring: 'contains' }, { param_scoring: 'contains' }],
  [{ param_scoring: 'fuzzy', scoring_config: { epsilon: 3 } }, { param_scoring: 'fuzzy' }],
  [{ scoring_config: { epsilon: 3 } }, {}],
  [
    { param_scoring: 'numeric_tolerance', scoring_config: { epsilon: 0.5, threshold: 0.9 } },
    { scoring_config: { mode: 'numeric_tolerance', epsilon: 0.5 } },
  ],
  [
    { param_scoring: 'semantic', scoring_config: { threshold: 0.9 } },
    { scoring_config: { mode: 'semantic', threshold: 0.9 } },
  ],
  [{ metrics: [{ id: 'x' }] }, { metrics: [{ id: 'x' }] }],
])('a rescore with %j asks for %j', (typed, asked) => {
  expect(rescoreRequest(typed)).toEqual(asked);
});

it('the options of a rescore are shown in words', () => {
  const options = { pass_threshold: 0.8, param_scoring: null, scoring_config: { mode: 'fuzzy' }, metrics: [] };
  expect(optionsInWords(options)).toBe('pass threshold 0.8; arguments compared mode fuzzy');
  expect(optionsInWords({ pass_threshold: null, metrics: [{ id: 'a', as: 'b' }] })).toBe('metrics b');
  expect(optionsInWords({})).toBe('the settings of the run');
});
