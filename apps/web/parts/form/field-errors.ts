import type { InputError } from '#lib/contracts/input/problem';

/**
 * What the API found wrong, by the field that shows it: the one with the longest pointer that holds the error's path.
 * Paths become those within the field. Errors of no field stand under `undefined`.
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

/** The errors that a field shows, with paths within it. It shows those of fields within it, too, if it is `whole`. */
export const errorsAt = (errors: readonly InputError[], pointer: string): InputError[] =>
  errorsByField(errors, [pointer]).get(pointer) ?? [];
