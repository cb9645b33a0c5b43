import { isObject, toText, type Json } from '#lib/contracts/json/json';
import type { Edited } from './edited.js';
import type { FormFault } from './labelled-field.js';

/** The text of a request, or the faults that prevent it. */
export type FormRequest = { body: string } | { faults: FormFault[] };

export const textsOf = (list: Json | undefined): string[] =>
  Array.isArray(list) ? list.map((item) => toText(item)) : [];

/** The fields that every tune needs before the API can validate it. */
export function missingFields({ value, unread }: Edited): FormFault[] {
  const tune = isObject(value) ? value : {};
  const faults: FormFault[] = [];
  if (!toText(tune.suite_id)) faults.push({ path: '/suite_id', message: 'Choose a suite.' });
  if (textsOf(tune.models).length === 0) faults.push({ path: '/models', message: 'Choose at least one model.' });
  if (Object.keys(unread).length > 0) faults.push({ path: '/unread', message: 'A field is not valid yet.' });
  return faults;
}

/** Input that is not a number is sent as text: the API reports the fault at the field. */
export const numberOrText = (typed: string): number | string | undefined => {
  const trimmed = typed.trim();
  if (trimmed === '') return undefined;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
};
