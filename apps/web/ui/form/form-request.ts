import { isObject, toText, type Json } from '#lib/contracts/json/json';
import type { Edited } from './edited.js';

/** A fault of an input, at its JSON Pointer. */
export interface FormFault {
  path: string;
  message: string;
}

/** What a form sends, or the faults that prevent it. */
export type FormRequest<Body = string> = { body: Body } | { faults: FormFault[] };

const NOT_VALID: FormFault = { path: '/unread', message: 'A field is not valid yet.' };

/** The edited value, once each field is valid. */
export const valueOf = <Body>({ value, unread }: Edited): FormRequest<Body> =>
  Object.keys(unread).length > 0 ? { faults: [NOT_VALID] } : { body: value as Body };

export const textsOf = (list: Json | undefined): string[] =>
  Array.isArray(list) ? list.map((item) => toText(item)) : [];

/** The fields that every run and every tune needs before the API can validate it. */
export function missingFields({ value, unread }: Edited): FormFault[] {
  const given = isObject(value) ? value : {};
  const faults: FormFault[] = [];
  if (!toText(given.suite_id)) faults.push({ path: '/suite_id', message: 'Choose a suite.' });
  if (textsOf(given.models).length === 0) faults.push({ path: '/models', message: 'Choose at least one model.' });
  if (Object.keys(unread).length > 0) faults.push(NOT_VALID);
  return faults;
}

/** Input that is not a number is sent as text: the API reports the fault at the field. */
export const numberOrText = (typed: string): number | string | undefined => {
  const trimmed = typed.trim();
  if (trimmed === '') return undefined;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
};
