import type { InputError } from '#lib/contracts/input/problem';

/**
 * The API's validation errors, by the field that shows them: the one with the longest pointer that contains the error's
 * path. Paths become relative to the field. Errors without a field are under `undefined`.
 */
export function errorsByField(
  errors: readonly InputError[],
  fields: readonly string[],
): Map<string | undefined, InputError[]> {
  const found = new Map<string | undefined, InputError[]>();
  for (const { path, message } of errors) {
    const holders = fields.filter((field) => path === field || path.startsWith(`${field}/`));
    const field = holders.sort((one, other) => other.length - one.length)[0];
    const within = { path: path.slice(field?.length ?? 0), message };
    found.set(field, [...(found.get(field) ?? []), within]);
  }
  return found;
}

/** The errors of a field, with paths within it. A `whole` field also shows those of fields inside it. */
export const errorsAt = (errors: readonly InputError[], pointer: string): InputError[] =>
  errorsByField(errors, [pointer]).get(pointer) ?? [];
