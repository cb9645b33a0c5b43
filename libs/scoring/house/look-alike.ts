import { isObject, type Json } from '#lib/contracts/json/json';
import type { ArgumentCheck } from '#lib/contracts/verdict';
import { matcherOf } from '../arguments/matchers.js';
import { simplify } from '../arguments/text-form.js';

/** Longer texts are not checked for look-alike characters. */
const MAX_CHARACTERS = 2000;

/** Cyrillic and Greek letters, dashes and quotation marks, with their look-alikes. */
const LOOK_ALIKES = new Map(
  [
    ['АВЕЅІЈКМНОРСТУХаеорсухіјѕһԁԛԝ', 'ABESIJKMHOPCTYXaeopcyxijshdqw'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορ', 'ABEZHIKMNOPTYXavop'],
    ['\u2010\u2011\u2012\u2013\u2014\u2015\u2212', '-------'],
    ['\u2018\u2019\u201a\u201b\u2032', "'''''"],
    ['\u201c\u201d\u201e\u201f\u2033', '"""""'],
    ['ıɡ', 'ig'],
  ].flatMap(([given, plain]) => [...given!].map((character, index) => [character, plain![index]!] as const)),
);

const visualForm = (text: string): string =>
  [
    ...simplify(text)
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, ''),
  ]
    .map((character) => LOOK_ALIKES.get(character) ?? character)
    .join('')
    .toLowerCase();

/** Describes where two texts that look the same differ. Undefined if they do not look the same. */
export function describeLookAlike({ path, expected, actual }: ArgumentCheck): string | undefined {
  const [wanted, given] = differing(path, expected as Json, actual as Json);
  if (typeof given !== 'string' || given.length > MAX_CHARACTERS) return undefined;
  const seen = visualForm(given);
  const alike = wanted.find((text) => text.length <= MAX_CHARACTERS && visualForm(text) === seen);
  return alike === undefined ? undefined : firstDifference([...simplify(alike)], [...simplify(given)]);
}

/** The acceptable texts and the value at the path of a check. */
function differing(path: string, expected: Json, actual: Json): [string[], Json] {
  let [wanted, given, isLiteral] = [expected, actual, false];
  const steps = path.split('/').slice(2);
  for (;;) {
    const matcher = isLiteral ? undefined : matcherOf(wanted);
    if (matcher === '$literal' || matcher === '$optional') {
      wanted = (wanted as Record<string, Json>)[matcher]!;
      isLiteral = matcher === '$literal';
      continue;
    }
    const step = steps.shift()?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (step === undefined) {
      const members = matcher === '$one_of' ? (wanted as { $one_of: Json[] }).$one_of : [wanted];
      return [members.filter((member) => typeof member === 'string'), given];
    }
    if (!has(wanted, step) || !has(given, step)) return [[], null];
    [wanted, given] = [wanted[step]!, given[step]!];
  }
}

const has = (value: Json, key: string): value is Record<string, Json> =>
  (Array.isArray(value) || isObject(value)) && Object.hasOwn(value, key);

function firstDifference(expected: string[], actual: string[]): string | undefined {
  const length = Math.max(expected.length, actual.length);
  for (let at = 0; at < length; at++) {
    if (expected[at]?.toLowerCase() === actual[at]?.toLowerCase()) continue;
    return (
      `The texts look the same, but differ: character ${at + 1} is ${codePoint(actual[at])}, ` +
      `expected ${codePoint(expected[at])}.`
    );
  }
  return undefined;
}

const codePoint = (character: string | undefined): string =>
  character === undefined ? 'missing' : `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
