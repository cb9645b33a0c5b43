import { isObject, type Json } from '#lib/contracts/json/json';

interface Named {
  name: string | null;
  suite_name: string;
  input: object;
}

const MAX_NAMES = 4;
const wordsOf = (parameter: string): string => parameter.replaceAll('_', ' ');

/** What a tune is known by: its name, else what it varies. */
export const tuneName = (tune: Named): string => tune.name ?? tunedWords(tune);

/** What a tune varies: "temperature, tool choice on Office assistant". */
export function tunedWords({ suite_name: suite, input }: Omit<Named, 'name'>): string {
  const { search_space: space, per_model_search_spaces: own, components } = input as Record<string, Json | undefined>;
  const spaces = [space, ...(isObject(own) ? Object.values(own) : [])];
  const parameters = spaces.flatMap((one) => (isObject(one) ? Object.keys(one) : []));
  const texts = Array.isArray(components) ? components.filter((one) => typeof one === 'string').map(textOf) : [];
  const names = [...new Set([...parameters.map(wordsOf), ...texts])];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return names.length === 0 ? suite : `${names.slice(0, MAX_NAMES).join(', ')}${more} on ${suite}`;
}

/** "system prompt", "get_weather", "get_weather: city": the text that a component is. */
function textOf(component: string): string {
  const [, tool, part, ...path] = component.split('/');
  if (tool === undefined) return wordsOf(component);
  return part === 'parameters'
    ? `${tool}: ${path
        .filter((step) => step !== 'properties')
        .slice(0, -1)
        .join('.')}`
    : tool;
}
