import { MAX_WAIT_CHARACTERS, waitAtStart } from './read-wait.js';

/** Texts that name a wait do so near their start. */
const MAX_WORDS = 4000;

const LEAD_IN = new RegExp(
  '\\b(?:try(?:ing)? again|retry(?:ing)?|wait(?:ing)?|come back|resets?|resetting|renews?|refills?|available|' +
    'resumes?|regain access|(?:limited|blocked|throttled|paused|suspended)(?= (?:for|until)))' +
    '[\\s:=~-]{0,3}(?:(?:your|this|the|request|again|will|be|is|time|in|after|at|on|for|until|about|approximately|' +
    'around|least|another|only)\\b[\\s:=~]{0,3}){0,6}',
  'gi',
);
const MAX_LEAD_INS = 20;

/**
 * The milliseconds to wait that only the text of an error names: "Please try again in 18.642s." (OpenAI's Responses),
 * "Please retry after 26 seconds." (Azure), "Resets at 2026-01-01T00:00:00Z".
 */
export function waitInMessage(message: string): number | undefined {
  const text = message.slice(0, MAX_WORDS);
  let left = MAX_LEAD_INS;
  for (const { 0: words, index } of text.matchAll(LEAD_IN)) {
    if (left-- <= 0) return undefined;
    const start = index + words.length;
    const ms = waitAtStart(text.slice(start, start + MAX_WAIT_CHARACTERS));
    if (ms !== undefined) return ms;
  }
  return undefined;
}
