import { ALL_TOOLS, choiceOf, otherComponents, SYSTEM_PROMPT, withComponent } from './component-choices.js';

it('a component without its own checkbox stays visible, so that it can be removed', () => {
  const { description, parameters } = choiceOf('get_weather');
  const place = 'tools/get_weather/parameters/properties/city/description';
  const chosen = [SYSTEM_PROMPT, ALL_TOOLS, description, parameters, place, 'tools/gone/description'];
  expect(otherComponents(chosen, ['get_weather'])).toEqual([place, 'tools/gone/description']);
});

it('a component is chosen once', () => {
  expect(withComponent(['a', 'b'], 'a', true)).toEqual(['b', 'a']);
  expect(withComponent(['a', 'b'], 'a', false)).toEqual(['b']);
});
