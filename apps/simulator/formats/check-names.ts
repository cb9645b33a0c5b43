import type { Json } from '#lib/contracts/json/json';

/** A refusal, worded as the real API words it. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: string | null = null,
    readonly param?: string,
  ) {
    super(message);
  }
}

/** @param place the path of the name in the request, such as `tools[0].function.name` */
export function refuseOpenAiName(place: string, name: Json | undefined): void {
  if (typeof name !== 'string')
    throw new Refused(`Missing required parameter: '${place}'.`, 'missing_required_parameter', place);
  const refuse = (what: string, code: string): never => {
    throw new Refused(`Invalid '${place}': ${what}`, code, place);
  };
  if (name === '')
    refuse('empty string. Expected a string with minimum length 1, but got an empty string instead.', 'empty_string');
  if (name.length > 64)
    refuse(
      `string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`,
      'string_above_max_length',
    );
  if (!/^[a-zA-Z0-9_-]+$/.test(name))
    refuse(
      "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      'invalid_value',
    );
}

/**
 * Unlike tool names, call names in a conversation may be longer and contain any characters.
 * @param ids of the earlier calls; the id of this one is added
 */
export function refuseAnthropicCall(
  place: string,
  name: Json | undefined,
  id: Json | undefined,
  ids: Set<Json | undefined>,
): void {
  if (typeof name !== 'string' || name === '')
    throw new Refused(`${place}.tool_use.name: String should have at least 1 character`);
  if (name.length > 200) throw new Refused(`${place}.tool_use.name: String should have at most 200 characters`);
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id))
    throw new Refused(`${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (ids.has(id)) throw new Refused(`${place}: \`tool_use\` ids must be unique`);
  ids.add(id);
}

export function refuseAnthropicNames(names: readonly (Json | undefined)[]): void {
  names.forEach((name, index) => {
    const refuse = (what: string): never => {
      throw new Refused(`tools.${index}.custom.name: ${what}`);
    };
    if (typeof name !== 'string') refuse('Field required');
    else if (name.length > 128) refuse('String should have at most 128 characters');
    else if (!/^[a-zA-Z0-9_-]+$/.test(name)) refuse("String should match pattern '^[a-zA-Z0-9_-]{1,128}$'");
  });
  if (new Set(names).size < names.length) throw new Refused('tools: Tool names must be unique.');
}

export function refuseGoogleNames(names: readonly (Json | undefined)[]): void {
  const faults = names.flatMap((name, index) =>
    typeof name === 'string' && /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)
      ? []
      : `* GenerateContentRequest.tools[0].function_declarations[${index}].name: Invalid function ` +
        'name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), ' +
        'underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n',
  );
  if (faults.length > 0) throw new Refused(faults.join(''));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Refused(`Duplicate function declaration found: ${String(twice)}`);
}
