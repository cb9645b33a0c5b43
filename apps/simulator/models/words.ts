import { memoizeBounded } from './memoize.js';

/** Words that do not distinguish tools. */
const STOP_WORDS = new Set(
  (
    'a about all am an and any are as at be been but by can could d did do does for from get give ' +
    'had has have hello hey hi him ' +
    'his how i if in into is it its just kindly ll let like m may me my now of off on one or our out ' +
    'over please re s she ' +
    'should so some t tell than thank that the their them then there these they this those to up us ' +
    'use used using ve want ' +
    'was we were what when where which will with would you your need value optional default given return returns'
  ).split(' '),
);

/** Synonyms in prompts and tool descriptions. The first of each line represents the others. */
const SYNONYMS = `
mail email inbox
event meeting appointment call calendar sync
create add new make
schedule book plan
delete remove erase trash throw
cancel abort
search find look locate lookup seek
list show display agenda overview
send write compose
reply answer respond
forward pass
update change modify edit move reschedule rename
file document doc pdf spreadsheet
folder directory
share access
order purchase buy bought
track status package parcel shipment shipping delivery arrive
refund money return
weather temperature warm cold hot degrees humid sunny
forecast tomorrow week weekend
rain snow storm wet umbrella
alert warning
convert conversion
compare versus warmer colder
invite attend attendee guest participant
free available availability busy slot open
remind reminder
contact phone address
`
  .trim()
  .split('\n')
  .map((line) => line.split(' ').map(stem));
const MEANING = new Map(SYNONYMS.flatMap(([first, ...rest]) => rest.map((word) => [word, first!] as const)));

/** Strips the most common English suffixes. This is crude, but prompts and descriptions only need equal stems. */
export function stem(word: string): string {
  let w = word
    .replace(/ies$/, 'y')
    .replace(/(s|x|z|ch|sh)es$/, '$1')
    .replace(/([^su])s$/, '$1');
  if (w.length > 5) w = w.replace(/(ing|ed)$/, '').replace(/([bdgmnprt])\1$/, '$1');
  return w.length > 3 ? w.replace(/e$/, '') : w;
}

/** The meaningful words of a text or an identifier (`sendEmail`, `send_email`), stemmed, one word per meaning. */
export function meanings(text: string): readonly string[] {
  if (text.length <= MAX_PHRASE_CHARACTERS) return meaningsOfPhrase(text);
  if (text !== lastText.text) lastText = { text, words: meaningsIn(text) };
  return lastText.words;
}
/** Longer texts are prompts: looked up many times in a row, and then never again. */
const MAX_PHRASE_CHARACTERS = 40;
let lastText: { text: string; words: readonly string[] } = { text: '', words: [] };

const meaningsIn = (text: string): readonly string[] =>
  (
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}]+|\d+/gu) ?? []
  )
    .filter((word) => !STOP_WORDS.has(word))
    .map(meaningOf);
const meaningsOfPhrase = memoizeBounded(meaningsIn);

const meaningOf = (word: string): string => (word.charCodeAt(0) < 0x3a ? word : meaningOfLetters(word));
const meaningOfLetters = memoizeBounded((word: string): string => {
  const stemmed = stem(word);
  return MEANING.get(stemmed) ?? stemmed;
});
