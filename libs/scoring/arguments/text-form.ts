import { LRUCache } from 'lru-cache';

/** Required for a text to equal another one in more than its case: a character beyond ASCII, or a "\r". */
const HAS_OTHER_FORMS = /[\r\u0080-\uffff]/;
/** Unicode's space separators except the plain space. */
const BLANKS = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
/**
 * More combining marks in a row than the Stream-Safe Text Format allows (UAX #15). Normalising such a text takes time
 * quadratic in their number.
 */
const MAX_MARK_RUN = 30;
const TOO_MANY_MARKS = /\p{M}{31}/u;
const MAYBE_MARK = /[\p{M}\p{Cs}]/u;

export const hasOtherForms = (text: string): boolean => HAS_OTHER_FORMS.test(text);

/** Whether a text has such a run. Checks every 31st character first, since most texts have no mark there. */
function hasTooManyMarks(text: string): boolean {
  for (let at = MAX_MARK_RUN; at < text.length; at += MAX_MARK_RUN + 1)
    if (MAYBE_MARK.test(text[at]!)) return TOO_MANY_MARKS.test(text);
  return false;
}

const compose = (text: string): string => (hasTooManyMarks(text) ? text : text.normalize('NFC'));
const simplifyBlanks = (text: string): string => text.replace(BLANKS, ' ').replaceAll('\r\n', '\n');

/** NFC, plain blanks, and line breaks without "\r". */
export const simplify = (text: string): string => (hasOtherForms(text) ? simplifyBlanks(compose(text)) : text);

/** A cache of common forms: each of many calls is compared with each of many expected ones. */
const forms = new LRUCache<string, string>({
  maxSize: 2 ** 21,
  sizeCalculation: (form, text) => form.length + text.length + 1,
});

/** The form in which texts are compared. */
export function commonForm(text: string): string {
  const known = forms.get(text);
  if (known !== undefined) return known;
  const form = simplify(text.toLowerCase());
  forms.set(text, form);
  return form;
}

const UNICODE_FORM = 'Unicode form';
const KIND_OF_BLANKS = 'the kind of blanks';
export type FormDifference = typeof UNICODE_FORM | typeof KIND_OF_BLANKS;

/** The differences between two texts with the same common form; empty if only the case differs. */
export function formDifferences(a: string, b: string): FormDifference[] {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  if (x === y) return [];
  if (compose(x) === compose(y)) return [UNICODE_FORM];
  return simplifyBlanks(x) === simplifyBlanks(y) ? [KIND_OF_BLANKS] : [UNICODE_FORM, KIND_OF_BLANKS];
}

/** The changes that the common form makes to a text, apart from case. */
export function formChanges(text: string): FormDifference[] {
  const lower = text.toLowerCase();
  return [
    ...(compose(lower) === lower ? [] : [UNICODE_FORM]),
    ...(simplifyBlanks(lower) === lower ? [] : [KIND_OF_BLANKS]),
  ] as FormDifference[];
}
