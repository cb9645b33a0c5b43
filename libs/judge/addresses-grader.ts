import { mapTexts, type JudgedCase, type JudgedText } from './evidence.js';

// A short list, and not a defence by itself: what it misses is still fenced as data. It catches plain attempts, so that
// a gullible judge is asked again without these texts.
const PATTERN = new RegExp(
  [
    String.raw`\bgrad(?:e|ed|er|ers|ing)\b`,
    String.raw`\bjudg(?:e|es|ed|ing|ement|ment)\b`,
    String.raw`\bevaluat(?:or|ors|ion)\b`,
    String.raw`\brat(?:e|ed|ing) (?:this|it|me|my)\b`,
    String.raw`\b(?:mark|score|accept) (?:this|it|me|my)\b`,
    String.raw`\bcorrect answer\b`,
    String.raw`\b(?:ignore|disregard|forget) (?:all |any )?(?:of )?(?:the |your )?(?:previous|prior|above|earlier)\b`,
    String.raw`\b(?:begin|end) (?:of )?(?:the )?evidence\b`,
    String.raw`\bgive_(?:judgement|preference|summary)\b`,
    String.raw`\b(?:expectation_at_fault|expectation_note|acceptable_alternative|not_applicable|cannot_tell)\b`,
    String.raw`["']?\bverdict\b["']?\s*[:=]`,
  ].join('|'),
  'iu',
);

const speaks = (text: string): boolean => PATTERN.test(text.normalize('NFKC').replace(/[\p{Cf}\p{Mn}]/gu, ''));

export const REMOVED = '[text removed]';

/**
 * Whether a text of the reply addresses a grader. Text from the case itself does not count as an attempt by the model.
 */
export function isSuspicious({ text, calls }: JudgedText, { conversation, reference }: JudgedCase): boolean {
  const own = new Set<string>();
  mapTexts([...conversation, ...reference.calls], (said) => {
    own.add(said);
    return said;
  });
  if (text !== null && speaks(text)) return true;
  let found = false;
  mapTexts(calls, (said) => {
    found ||= !own.has(said) && speaks(said);
    return said;
  });
  return found;
}

/** The reply without the model's free text: its text, and each argument that addresses a grader. */
export const withoutTexts = ({ calls, ...reply }: JudgedText): JudgedText => ({
  ...reply,
  text: null,
  calls: calls.map(({ name, arguments: args }) => ({
    name: speaks(name) ? REMOVED : name,
    arguments: mapTexts(args, (said) => (speaks(said) ? REMOVED : said)),
  })),
});
