import { jsonPointer, ProblemError, type InputError } from '#lib/contracts/input/problem';
import { unwrapAllNumbers, type Json, type JsonObject } from '#lib/contracts/json/json';
import { findReservedParams } from '#lib/contracts/params';
import { RunInput, type RunConfig } from '#lib/contracts/run-input';
import { MAX_ARMS, MAX_PARAMETERS } from '../contract.js';
import { expandAxis } from './expand-axis.js';

/** The settings of a run that arms vary. */
export type ArmSettings = Pick<RunConfig, 'temperature' | 'tool_choice' | 'max_tokens' | 'params'>;

export interface Arm {
  /** The values of the space's parameters; a parameter that the base does not send is missing in the base. */
  config: JsonObject;
  settings: ArmSettings;
  /** The index of each value within its parameter. */
  levels: number[];
  /** The number of parameters that differ from the base. */
  changes: number;
}

/** A parameter, its values, and the index of the base's value, which may be one past the values of the space. */
interface Parameter {
  name: string;
  values: Json[];
  base: number;
}

/** Settings of a run that are not request parameters, or not a provider's. */
const OTHER_SETTINGS = Object.keys(RunInput.shape).filter((name) => !isSetting(name));

/** Total characters of all arms as JSON: each has the parameters of the base, and a value of each parameter. */
const MAX_CHARACTERS = 5_000_000;

/**
 * Every distinct combination of the values of a space. The base comes first, whether or not the space contains it.
 * @param path where the space is in the body
 * @param share of the maximum characters of a tune, when it has several models
 * @throws ProblemError 422
 */
export function expandSpace(space: JsonObject, base: ArmSettings, path: readonly PropertyKey[], share = 1): Arm[] {
  const names = Object.keys(space);
  if (names.length === 0)
    throw faulty([{ path: jsonPointer(path), message: 'is empty: give at least one parameter and its values.' }]);
  if (names.length > MAX_PARAMETERS)
    throw faulty([
      { path: jsonPointer(path), message: `has ${names.length} parameters, and may have ${MAX_PARAMETERS}.` },
    ]);
  const errors = [...forbidden(space, path)];
  const parameters = names.map((name) => readParameter(name, space[name]!, base, [...path, name], errors));
  if (errors.length) throw faulty(errors);
  const count = parameters.reduce((product, { values }) => product * values.length, 1);
  if (count > MAX_ARMS)
    throw faulty([
      {
        path: jsonPointer(path),
        message: `has ${count} combinations, and may have ${MAX_ARMS}: use fewer values or larger steps.`,
      },
    ]);
  const characters = count * charactersOf(parameters, base);
  if (characters > MAX_CHARACTERS * share)
    throw faulty([
      {
        path: jsonPointer(path),
        message: `has ${count} combinations with long values: use fewer or shorter values.`,
      },
    ]);
  return combine(parameters, base);
}

const lengthOf = (value: Json | undefined): number => (JSON.stringify(value) ?? '').length;

/** Characters of the longest arm. */
const charactersOf = (parameters: readonly Parameter[], { params }: ArmSettings): number =>
  parameters.reduce(
    (sum, { name, values }) =>
      sum + name.length + values.reduce<number>((most, value) => Math.max(most, lengthOf(value)), 0),
    lengthOf(params),
  );

const faulty = (errors: InputError[]): ProblemError =>
  new ProblemError(422, 'The search space cannot be searched.', errors);

function* forbidden(space: JsonObject, path: readonly PropertyKey[]): Generator<InputError> {
  const { temperature: _temperature, tool_choice: _toolChoice, max_tokens: _maxTokens, ...params } = space;
  yield* findReservedParams(params, ...path);
  for (const name of Object.keys(params))
    if (OTHER_SETTINGS.includes(name))
      yield {
        path: jsonPointer([...path, name]),
        message: 'is a setting of the run, not a parameter of its requests: it cannot be searched.',
      };
}

function isSetting(name: string): name is 'temperature' | 'tool_choice' | 'max_tokens' | 'params' {
  return ['temperature', 'tool_choice', 'max_tokens'].includes(name);
}

function readParameter(
  name: string,
  given: Json,
  base: ArmSettings,
  path: readonly PropertyKey[],
  errors: InputError[],
): Parameter {
  const expanded = expandAxis(given);
  if ('fault' in expanded) {
    errors.push({ path: jsonPointer(path), message: expanded.fault });
    return { name, values: [], base: 0 };
  }
  const values = isSetting(name) ? readSettings(name, expanded.values, path, errors) : expanded.values;
  const own = isSetting(name) ? base[name] : base.params[name];
  const known = values.findIndex((value) => JSON.stringify(value) === JSON.stringify(own));
  return { name, values, base: known < 0 ? values.length : known };
}

/** The values of a setting as a run parses them; invalid ones are faults. */
function readSettings(
  name: keyof ArmSettings,
  values: readonly Json[],
  path: readonly PropertyKey[],
  errors: InputError[],
): Json[] {
  const read = values.map((value) => unwrapAllNumbers(value) as Json);
  const wrong = read
    .map((value) => ({ value, issue: RunInput.shape[name].safeParse(value).error?.issues[0] }))
    .find(({ issue }) => issue);
  if (wrong) {
    const value = (JSON.stringify(wrong.value) ?? '').slice(0, 100);
    errors.push({ path: jsonPointer(path), message: `has the value ${value}, which ${wrong.issue!.message}.` });
  }
  return [...new Map(read.map((value) => [JSON.stringify(value), value])).values()];
}

/** The last parameter varies fastest. */
function combine(parameters: readonly Parameter[], base: ArmSettings): Arm[] {
  const baseLevels = parameters.map((parameter) => parameter.base);
  let combinations: number[][] = [[]];
  for (const { values } of parameters)
    combinations = combinations.flatMap((levels) => values.map((_, level) => [...levels, level]));
  const isBase = (levels: readonly number[]): boolean => levels.every((level, n) => level === baseLevels[n]);
  return [baseLevels, ...combinations.filter((levels) => !isBase(levels))].map((levels) =>
    armOf(levels, parameters, base),
  );
}

function armOf(levels: number[], parameters: readonly Parameter[], base: ArmSettings): Arm {
  const settings = { ...base, params: { ...base.params } };
  const config: JsonObject = {};
  parameters.forEach(({ name, values, base: own }, n) => {
    const ofBase = isSetting(name) ? (base[name] as Json) : base.params[name];
    const value = levels[n] === own ? ofBase : values[levels[n]!];
    if (value === undefined) return;
    config[name] = value;
    if (isSetting(name)) Object.assign(settings, { [name]: value });
    else settings.params[name] = value;
  });
  return { config, settings, levels, changes: levels.filter((level, n) => level !== parameters[n]!.base).length };
}
