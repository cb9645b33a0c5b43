import { z } from 'zod';
import { likelyName } from './nearest-names.js';
import { jsonPointer, type InputError } from './problem.js';

/** The parts of the input and the schema that the locale below keeps. */
interface KeptContext {
  known?: string[];
  given?: string;
}
type Issue = z.core.$ZodIssue & KeptContext;
type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** More than a reader needs, yet few enough to look up suggestions for each. */
export const MAX_INPUT_ERRORS = 100;

/**
 * Lists the fields that failed their schema, with messages that a user can act on. Stops after a hundred errors.
 * @param issues the issues that zod reports
 */
export function toInputErrors(issues: readonly unknown[]): InputError[] {
  return (issues as Issue[])
    .slice(0, MAX_INPUT_ERRORS)
    .flatMap((issue) => describe(issue, []))
    .slice(0, MAX_INPUT_ERRORS);
}

function describe(issue: Issue, base: PropertyKey[]): InputError[] {
  const path = [...base, ...issue.path];
  const wrong = (message: string): InputError[] => [{ path: jsonPointer(path), message }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, MAX_INPUT_ERRORS).map((key) => ({
        path: jsonPointer([...path, key]),
        message: `is not a field of this object. ${suggestName(key, issue.known) ?? 'Is it misspelt?'}`,
      }));
    case 'invalid_union':
      return issue.errors.length ? describeUnion(issue, path) : wrong(issue.message);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => describe(inner, path));
    case 'invalid_value': {
      const hint = suggestName(issue.given, issue.known);
      return wrong(hint ? `${issue.message}. ${hint}` : issue.message);
    }
    default:
      return wrong(issue.message);
  }
}

/** Describes a union error by the option that the value most likely meant: the one with the fewest faults. */
function describeUnion({ errors }: z.core.$ZodIssueInvalidUnion, path: PropertyKey[]): InputError[] {
  const isOtherType = (issues: Issue[]): boolean =>
    issues.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type');
  const options = errors.filter((issues) => !isOtherType(issues));
  if (options.length > 0) return describeOptions(options, path);
  if (errors.every((issues) => issues.some((issue) => issue.path.length === 0 && issue.message === 'is missing')))
    return [{ path: jsonPointer(path), message: 'is missing' }];
  const types = errors.flatMap((issues) =>
    issues.flatMap((issue) => (issue.code === 'invalid_type' ? [typeName(issue.expected)] : [])),
  );
  const names = [...new Set(types)];
  return [
    {
      path: jsonPointer(path),
      message: `must be of ${names.length > 1 ? 'one of the types' : 'type'} ${names.join(', ')}`,
    },
  ];
}

function describeOptions(options: Issue[][], path: PropertyKey[]): InputError[] {
  const known = [...new Set(options.flatMap((issues) => issues.flatMap((issue) => issue.known ?? [])))];
  const missing = options.map((issues) => issues.filter(isMissingField).map((issue) => issue.path[0]));
  const fields = [...new Set(missing.flat())];
  const faultsOf = (issues: Issue[]): number =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
  const isEmpty = options.every((issues) => issues.every(isMissingField));
  const [closest, next] = isEmpty ? options : options.toSorted((a, b) => faultsOf(a) - faultsOf(b));
  // No shape is closer than another, and each lacks one field.
  const areFields =
    next !== undefined &&
    faultsOf(closest!) === faultsOf(next) &&
    fields.length === options.length &&
    missing.every((names) => names.length === 1);
  const faults = closest!.flatMap((issue) => {
    if (areFields && isMissingField(issue)) return [];
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) return describe(issue, path);
    const own = issue.known ?? [];
    return issue.keys
      .slice(0, MAX_INPUT_ERRORS)
      .flatMap((key) =>
        known.includes(key)
          ? [{ path: jsonPointer([...path, key]), message: `cannot be combined with ${JSON.stringify(own[0])}` }]
          : describe({ ...issue, keys: [key], known }, path),
      );
  });
  if (!areFields) return faults;
  const names = fields.map((field) => JSON.stringify(field)).join(', ');
  return [{ path: jsonPointer(path), message: `must have one of the fields ${names}` }, ...faults];
}

const isMissingField = (issue: Issue): boolean =>
  issue.path.length === 1 && describe(issue, []).every(({ message }) => message === 'is missing');

function suggestName(name: string | undefined, known: readonly string[] = []): string | undefined {
  const likely = name === undefined ? undefined : likelyName(name, known);
  return likely === undefined ? undefined : `Did you mean "${likely}"?`;
}

/** zod calls this while it still has the input and the schema, and only if the schema has no message of its own. */
z.config({ localeError: describeIssue });

function describeIssue(issue: RawIssue): string {
  keepContext(issue);
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'never' || issue.expected === 'undefined'
        ? 'must be left out'
        : `must be of type ${typeName(issue.expected)}`;
    case 'too_small':
      return issue.minimum === 1 && !issue.exact && SIZES[issue.origin]
        ? 'must not be empty'
        : bounded(issue, issue.minimum, issue.inclusive ? 'at least' : 'more than');
    case 'too_big':
      return bounded(issue, issue.maximum, issue.inclusive ? 'at most' : 'less than');
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return issue.discriminator
        ? oneOf(issue.options as z.core.util.Primitive[])
        : 'must match exactly one of the allowed shapes';
    case 'invalid_format':
      return ofFormat(issue);
    default:
      return 'is not allowed here';
  }
}

function keepContext(issue: RawIssue & KeptContext): void {
  if (issue.code === 'unrecognized_keys')
    issue.known = Object.keys((issue.inst as z.ZodObject | undefined)?.shape ?? {});
  if (issue.code !== 'invalid_value' || typeof issue.input !== 'string' || issue.values.length === 1) return;
  issue.given = issue.input;
  issue.known = issue.values.filter((value) => typeof value === 'string');
}

const SIZES: Record<string, string> = {
  string: 'characters',
  array: 'entries',
  set: 'entries',
  map: 'entries',
  file: 'bytes',
};

function bounded({ origin, exact }: { origin: string; exact?: boolean }, bound: number | bigint, how: string): string {
  const unit = SIZES[origin];
  return `must ${unit ? 'have' : 'be'} ${exact ? 'exactly' : how} ${bound}${unit ? ` ${unit}` : ''}`;
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const listed = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  return `must be ${values.length > 1 ? 'one of ' : ''}${listed.join(', ')}`;
}

/** What an id names, by the suffix of its field. */
const NAMED_BY: readonly [string, string][] = [
  ['suite_id', 'suite'],
  ['job_id', 'job'],
  ['eval_id', 'run'],
  ['experiment_id', 'experiment'],
];

function ofFormat(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  switch (issue.format) {
    case 'uuid':
      return noSuchId(String(issue.path?.at(-1)), String(issue.input));
    case 'datetime':
      return 'must be a time of UTC such as 2026-01-31T12:00:00Z';
    case 'regex':
      return `must match the pattern ${issue.pattern}`;
    case 'starts_with':
    case 'ends_with':
    case 'includes':
      return (
        `must ${issue.format.replace('_', ' ').replace(/s\b/, '')} ` +
        `${JSON.stringify(issue.prefix ?? issue.suffix ?? issue.includes)}`
      );
    default:
      return `must be of the format "${issue.format}"`;
  }
}

function noSuchId(field: string, value: string): string {
  const shown = JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}...` : value);
  const [, what] = NAMED_BY.find(([end]) => field.endsWith(end)) ?? [];
  return (
    'is not an id: ids look like 0190f3c2-1b7a-7c3e-9d42-5f6a8b9c0d1e. ' +
    `${what ? `There is no ${what} with the id ${shown}.` : `It is ${shown}.`}`
  );
}

/** The JSON name of a zod type. */
const typeName = (type: string): string => ({ record: 'object', int: 'integer', nan: 'number' })[type] ?? type;
