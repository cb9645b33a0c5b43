/**
 * Normalises a text for comparing words: compatible characters are unified (NFKC), in lower case, without invisible
 * characters and apostrophes.
 */
export const plain = (text: string): string =>
  text.replace(LONG_MARKS, '$1').normalize('NFKC').toLowerCase().replace(UNHEARD, '');

/** Normalising takes time quadratic in the length of a run of marks; no language has thirty in a row. */
const LONG_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const UNHEARD = /[\p{Cf}'’]/gu;

const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`;
/** A word, or one character of a script that does not put spaces between words. */
const WORD = new RegExp(
  String.raw`[[\p{L}\p{N}]--[${UNSPACED}]][[\p{L}\p{N}\p{M}]--[${UNSPACED}]]*|[\p{L}\p{N}]\p{M}*`,
  'gv',
);
const IS_HAN_OR_KANA = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u;
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');

/**
 * A run of words is six words long. In scripts without spaces it is the number of characters of about six words: 12 for
 * Chinese and Japanese, 24 for Thai, Lao, Khmer and Burmese. A dictionary (Intl.Segmenter) would find the words, but
 * with differences between releases of ICU, and workers of two releases have to agree. In mixed text, the weights add
 * up.
 */
const RUN = 24;
const WORD_WEIGHT = 4;
const HAN_WEIGHT = 2;
const LETTER_WEIGHT = 1;

/**
 * @param from where the words begin in the text
 * @param to where they end
 * @param isRun whether they are a whole run; otherwise they are the beginning of one
 */
export type VisitRun = (hash: number, from: number, to: number, isRun: boolean) => void;

/**
 * Visits every run of words of a plain text, and every prefix of one, word by word. A run has at most 24 words, so the
 * time is linear, and no more runs than that are held in memory.
 */
export function visitRuns(plainText: string, visit: VisitRun): void {
  /** The longest first. */
  const open: { from: number; weight: number; high: number; low: number }[] = [];
  for (const { 0: word, index: from } of plainText.matchAll(WORD)) {
    const to = from + word.length;
    const weight = weightOf(word);
    let high = 0x1747b28c;
    let low = 0x5bd1e995;
    for (let at = from; at < to; at++) {
      const code = plainText.charCodeAt(at);
      high = mix(high, code, 0x85ebca6b);
      low = mix(low, code, 0xc2b2ae35);
    }
    open.push({ from, weight: 0, high: 0x2545f491, low: 0x27d4eb2f });
    for (const run of open) {
      run.high = mix(run.high, high, 0x85ebca6b);
      run.low = mix(run.low, low, 0xc2b2ae35);
      run.weight += weight;
      visit(toHash(run.high, run.low), run.from, to, run.weight >= RUN);
    }
    while (open.length > 0 && open[0]!.weight >= RUN) open.shift();
  }
}

function weightOf(word: string): number {
  if (word.charCodeAt(0) < 0x0e00 || !IS_UNSPACED.test(word)) return WORD_WEIGHT;
  return IS_HAN_OR_KANA.test(word) ? HAN_WEIGHT : LETTER_WEIGHT;
}

// A global lookup takes longer than the multiplication.
const { imul } = Math;

function mix(hash: number, value: number, factor: number): number {
  const mixed = imul(hash ^ value, factor);
  return mixed ^ (mixed >>> 15);
}

/** A whole number of 53 bits, other than 0. */
const toHash = (high: number, low: number): number => 2 ** 32 * (high & 0x1fffff) + (low >>> 0) || 1;
