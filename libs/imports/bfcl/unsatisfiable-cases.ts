import { toText, isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { bfclAst, type BfclInput } from '#lib/scoring/compatible/bfcl';

/** Each is tried against all others. */
const MOST_TRIED = 30;

type Answer = Record<string, Record<string, Json[]>>;

/**
 * Why BFCL's own check passes no reply to an entry; undefined if it passes one, or an argument has too many
 * acceptable values to try them all. It looks at each parameter for itself: tried are all acceptable values, empty
 * ones where "" is acceptable, and none.
 */
export function findUnsatisfiableReason(
  category: string,
  functions: JsonObject[],
  possible_answer: Answer[],
): string | undefined {
  if (
    possible_answer.some((answer) =>
      Object.values(answer).some((params) => Object.values(params).some((accepted) => accepted.length > MOST_TRIED)),
    )
  )
    return undefined;
  const isSimple = !/parallel|multiple/.test(category);
  const model_output = possible_answer.map((answer) => {
    const [[name, params]] = Object.entries(answer) as [[string, Record<string, Json[]>]];
    const described = isSimple ? functions[0] : functions.find((one) => one.name === name);
    return { [described ? toText(described.name) : name]: described ? argumentsFor(described, params) : {} };
  });
  return fault({ category, functions, model_output, possible_answer });
}

function argumentsFor(described: JsonObject, params: Record<string, Json[]>): JsonObject {
  const { properties, required } = isObject(described.parameters) ? described.parameters : {};
  const name = toText(described.name);
  const isValid = (param: string, accepted: Json[], value: Json): boolean => {
    const alone = { name, parameters: { properties: isObject(properties) ? properties : {} } };
    return (
      fault({
        category: 'multiple',
        functions: [alone],
        model_output: [{ [name]: { [param]: value } }],
        possible_answer: [{ [name]: { [param]: accepted } }],
      }) === undefined
    );
  };
  return Object.fromEntries(
    Object.entries(params).flatMap(([param, accepted]): [string, Json][] => {
      const values = exampleCalls(accepted);
      const good = values.find((value) => isValid(param, accepted, value));
      if (good !== undefined) return [[param, good]];
      // What is wrong with a value says more than that there is none.
      const isRequired = Array.isArray(required) && required.includes(param);
      return values.length && (isRequired || !accepted.includes('')) ? [[param, values[0]!]] : [];
    }),
  );
}

function fault(input: Omit<BfclInput, 'underscore_to_dot' | 'decode_failed'>): string | undefined {
  try {
    return bfclAst({ ...input, underscore_to_dot: false, decode_failed: false }).error_type;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Values that a list of acceptable ones means: first those that are something. */
export function exampleCalls(accepted: readonly Json[]): Json[] {
  const values = accepted.filter((value) => value !== '').map(exampleOf);
  return accepted.includes('') ? [...values, '', []] : values;
}

/** An acceptable value as a model would send it: of an object's lists of acceptable values the first each. */
function exampleOf(value: Json): Json {
  if (Array.isArray(value) && value.every(isObject)) return value.map(exampleOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, accepted]) => {
      const first = (accepted as Json[]).find((one) => one !== '');
      return first === undefined ? [] : [[key, first]];
    }),
  );
}
