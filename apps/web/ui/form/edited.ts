import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonPointer } from '#lib/contracts/input/pointer';
import type { InputError } from '#lib/contracts/input/problem';

export type Path = readonly (string | number)[];

/**
 * A JSON value that is being edited in fields or as a whole. `unread` holds, by JSON Pointer, input that is not valid
 * JSON yet; the value there keeps its previous state.
 */
export interface Edited {
  value: Json;
  unread: Record<string, string>;
}

export const pointerOf = (path: Path): string => jsonPointer(path);

/** The errors of a field and of all inside it, with paths within it. */
export const errorsAt = (errors: readonly InputError[], pointer: string): InputError[] =>
  errors
    .filter(({ path }) => path === pointer || path.startsWith(`${pointer}/`))
    .map(({ path, message }) => ({ path: path.slice(pointer.length), message }));

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let inner: Json | undefined = value;
  for (const part of path) {
    if (Array.isArray(inner)) inner = inner[Number(part)];
    else if (isObject(inner) && Object.hasOwn(inner, part)) inner = inner[part];
    else return undefined;
  }
  return inner;
}

/** A copy with another value at this path; undefined removes it. Only values along the path are copied. */
export function withValueAt(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return next;
  if (Array.isArray(value)) {
    const index = Number(part);
    const inner = withValueAt(value[index], rest, next);
    return inner === undefined ? value.toSpliced(index, 1) : value.toSpliced(index, 1, inner);
  }
  const object: JsonObject = isObject(value) ? value : {};
  const inner = withValueAt(Object.hasOwn(object, part) ? object[part] : undefined, rest, next);
  if (inner !== undefined) return { ...object, [part]: inner };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== String(part)));
}

/** Sets or removes the value at this path: unreadable input at or below it is dropped. */
export function edit({ value, unread }: Edited, path: Path, next: Json | undefined): Edited {
  const pointer = pointerOf(path);
  const kept = Object.entries(unread).filter(([at]) => at !== pointer && !at.startsWith(`${pointer}/`));
  return { value: withValueAt(value, path, next) ?? null, unread: Object.fromEntries(kept) };
}

export const editUnread = ({ value, unread }: Edited, path: Path, text: string): Edited => ({
  value,
  unread: { ...unread, [pointerOf(path)]: text },
});
