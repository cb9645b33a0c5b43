import { tuneName } from './tune-name.js';

it.each([
  [{ search_space: { temperature: {}, tool_choice: [] } }, 'temperature, tool choice on Weather'],
  [{ search_space: {}, per_model_search_spaces: { a: { top_p: [] }, b: { top_p: [] } } }, 'top p on Weather'],
  [{ components: ['system_prompt'] }, 'system prompt on Weather'],
  [
    { components: ['tools/get_weather/description', 'tools/get_weather/parameters/properties/city/description'] },
    'get_weather, get_weather: city on Weather',
  ],
  [{ search_space: { a: [], b: [], c: [], d: [], e: [] } }, 'a, b, c, d and 1 more on Weather'],
  [{}, 'Weather'],
])('a tune of %j is called "%s"', (input, name) => {
  expect(tuneName({ name: null, suite_name: 'Weather', input })).toBe(name);
  expect(tuneName({ name: 'Colder', suite_name: 'Weather', input })).toBe('Colder');
});
