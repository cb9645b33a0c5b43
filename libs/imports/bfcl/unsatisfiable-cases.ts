import { toText, isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { bfclAst, type BfclInput } from '#lib/scoring/metrics/bfcl-checker';

/** Each value is tested against all others. */
const MAX_TRIED_VALUES = 30;

type Answer = Record<string, Record<string, Json[]>>;

/**
 * Returns why BFCL's own check accepts no reply to an entry. Returns undefined if it accepts one, or if an argument has
 * too many acceptable values to try them all. Each parameter is checked on its own, with all acceptable values, with
 * empty values if "" is acceptable, and without a value.
 */
export function findUnsatisfiableReason(
  category: string,
  functions: JsonObject[],
  possible_answer: Answer[],
): string | undefined {
  if (
    possible_answer.some((answer) =>
      Object.values(answer).some((params) =>
        Object.values(params).some((accepted) => accepted.length > MAX_TRIED_VALUES),
      ),
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
      // A wrong value gives a more useful reason than a missing one.
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

/** Returns example values for a list of acceptable values, non-empty ones first. */
export function exampleCalls(accepted: readonly Json[]): Json[] {
  const values = accepted.filter((value) => value !== '').map(exampleOf);
  return accepted.includes('') ? [...values, '', []] : values;
}

/**
 * Returns an acceptable value in the form that a model would send. In an object, each list of acceptable values gives
 * its first one.
 */
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
