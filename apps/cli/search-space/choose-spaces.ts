import type { ApiClient } from '#lib/client/api-client';
import { isObject, parseJson, type JsonObject } from '#lib/contracts/json/json';
import { readPreset } from '../lookup/find-preset.js';
import { readText } from '../suite-files/read-suite-file.js';
import { SPACE_NOTATION, type ParameterValues } from './read-space.js';

export interface SpaceOptions {
  space?: ParameterValues[];
  spaceFile?: string;
  preset?: string;
}
interface Spaces {
  search_space: JsonObject;
  per_model_search_spaces?: JsonObject;
}

/** Merges the spaces of a preset, a file and `--space`. For a parameter in several of them, the last one wins. */
export async function chooseSpaces(client: ApiClient, { space, spaceFile, preset }: SpaceOptions): Promise<Spaces> {
  if (space === undefined && spaceFile === undefined && preset === undefined)
    throw new Error(`Give a search space with --space ${SPACE_NOTATION}; with --space-file FILE, or --preset NAME.`);
  const kept = preset === undefined ? {} : ((await readPreset(client, preset)).search_space as JsonObject);
  const file: Partial<Spaces> = spaceFile === undefined ? {} : readSpaceFile(spaceFile);
  return { ...file, search_space: { ...kept, ...file.search_space, ...spaceOf(space) } };
}

/** @throws Error for a duplicate parameter: only one of the two could count */
function spaceOf(given: readonly ParameterValues[] = []): JsonObject {
  const names = given.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`--space names ${twice} twice. Give all its values at once.`);
  return Object.fromEntries(given);
}

const FIELDS = ['search_space', 'per_model_search_spaces'];

/** A search space, or an object with `search_space` and `per_model_search_spaces`. */
function readSpaceFile(path: string): Partial<Spaces> {
  const wrong = (why: string): Error => new Error(`${path} is not a search space: ${why}`);
  const content = jsonOf(path, wrong);
  if (!isObject(content)) throw wrong('it must be a JSON object, such as {"temperature": [0, 1]}.');
  if (!FIELDS.some((field) => Object.hasOwn(content, field))) return { search_space: content };
  for (const [name, value] of Object.entries(content)) {
    if (!FIELDS.includes(name)) throw wrong(`"${name}" is not one of its fields, ${FIELDS.join(' and ')}.`);
    if (!isObject(value)) throw wrong(`"${name}" must be an object.`);
  }
  return content as Partial<Spaces>;
}

function jsonOf(path: string, wrong: (why: string) => Error) {
  try {
    return parseJson(readText(path));
  } catch (error) {
    throw error instanceof SyntaxError ? wrong(error.message) : error;
  }
}
