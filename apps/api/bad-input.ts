import type { z } from 'zod';
import { pointer, ProblemError, type InputError } from '#lib/contracts/problem';

type Issue = z.core.$ZodIssue;

/** What failed its schema, field by field. */
export function badInput(issues: readonly unknown[]): ProblemError {
  const errors = (issues as Issue[]).flatMap((issue) => describe(issue, []));
  return new ProblemError(400, errors.length === 1 ? sentence(errors[0]!) : `${errors.length} fields are not as they should be.`, errors);
}

export const sentence = ({ path, message }: InputError): string => `${path || 'The body'} ${message}`;

function describe(issue: Issue, base: PropertyKey[]): InputError[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: pointer([...path, key]), message: 'is no field of this object. Is it misspelt?' }));
  if (issue.code === 'invalid_union') return describeUnion(issue, path);
  if (issue.code === 'invalid_type') return [{ path: pointer(path), message: /received undefined$/.test(issue.message) ? 'is missing' : `must be of type ${named(issue.expected)}` }];
  return [{ path: pointer(path), message: issue.message }];
}

/** Of the shapes a value may have, the one it was meant to have: the one that got furthest into it. */
function describeUnion({ errors }: z.core.$ZodIssueInvalidUnion, path: PropertyKey[]): InputError[] {
  const isOtherType = (issues: Issue[]): boolean => issues.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type');
  const meant = errors.find((issues) => !isOtherType(issues));
  if (meant) return meant.flatMap((issue) => describe(issue, path));
  const types = errors.flatMap((issues) => issues.flatMap((issue) => (issue.code === 'invalid_type' ? [named(issue.expected)] : [])));
  return [{ path: pointer(path), message: `must be of one of the types ${[...new Set(types)].join(', ')}` }];
}

/** zod's word for a type, as JSON calls it. */
const named = (type: string): string => ({ record: 'object', int: 'integer' })[type] ?? type;
