import type { Leak, LeakIndex } from './leaks.js';
import { plain } from './words.js';

export { expectedStrings, promptOf } from './case-texts.js';
export { indexLeaks, LeakIndex, type LeakSource } from './leaks.js';

export interface CheckedAgainst {
  /** All cases of the suite, including held-out ones. */
  leaks: LeakIndex;
  /** The maximum length of a text as a multiple of its base. */
  maxGrowth: number;
}

/** A text that a meta model wrote for a component. */
export interface ProposedText {
  /** `system_prompt`, `tools/<name>/description` or `tools/<name>/parameters/<pointer>/description`. */
  component: string;
  text: string;
  /** The text of the component before the tune. */
  base: string;
}

export interface Fault {
  reason: 'leak' | 'too_long' | 'empty' | 'unclosed_fence' | 'addresses_meta' | 'placeholder';
  /** For people. It may quote a held-out case, so it must not be sent to a meta model. */
  text: string;
}

/** Every base may grow by this many characters, however short it is. */
const MIN_GROWTH = 800;
/** The length limit of providers for a tool description. */
const MAX_DESCRIPTION = 1024;

/**
 * Validates a text before it is tried. The base itself always passes.
 * @returns why the text is rejected; undefined when it passes
 */
export function findFault(proposed: ProposedText, against: CheckedAgainst): Fault | undefined {
  const { text, base } = proposed;
  if (text === base) return undefined;
  // The length is checked first: the other checks take time proportional to it.
  const why = whyTooLong(proposed, against.maxGrowth);
  if (why) return { reason: 'too_long', text: why };
  const [written, writtenBase] = [text, base].map((each) => plain(each).replace(/\s+/g, ' ').trim()) as [
    string,
    string,
  ];
  if (written === '') return { reason: 'empty', text: 'The text is empty.' };
  if (hasOpenFence(text) && !hasOpenFence(base))
    return { reason: 'unclosed_fence', text: 'A code fence (```) is not closed.' };
  const aside = ASIDES.find((pattern) => pattern.test(written) && !pattern.test(writtenBase))?.exec(written)?.[0];
  if (aside !== undefined)
    return {
      reason: 'addresses_meta',
      text: `It addresses the author of the request, not the model that calls tools: "${shorten(aside)}".`,
    };
  const kept = placeholdersOf(text);
  const lost = [...placeholdersOf(base)].find((placeholder) => !kept.has(placeholder));
  if (lost !== undefined) return { reason: 'placeholder', text: `The placeholder ${shorten(lost)} is lost.` };
  const leak = against.leaks.find(text);
  return leak && { reason: 'leak', text: describe(leak) };
}

function whyTooLong({ component, text, base }: ProposedText, maxGrowth: number): string | undefined {
  const most = mostByGrowth(base, maxGrowth);
  if (text.length > most)
    return `It has ${text.length} characters; with a base of ${base.length}, the maximum is ${most}.`;
  return component.startsWith('tools/') && text.length > MAX_DESCRIPTION
    ? `It has ${text.length} characters; the maximum for the description of a tool or parameter is ${MAX_DESCRIPTION}.`
    : undefined;
}

const mostByGrowth = (base: string, maxGrowth: number): number =>
  Math.floor(Math.max(maxGrowth * base.length, base.length + MIN_GROWTH));

/** The maximum length of a new text of a component. */
export const mostCharacters = (component: string, base: string, maxGrowth: number): number =>
  component.startsWith('tools/')
    ? Math.min(MAX_DESCRIPTION, mostByGrowth(base, maxGrowth))
    : mostByGrowth(base, maxGrowth);

const hasOpenFence = (text: string): boolean =>
  text.split('\n').filter((line) => /^\s*```[^`]*$/.test(line)).length % 2 === 1;

const REVISED = '(?:improved|revised|rewritten|updated|new|better|optimi[sz]ed|refined|enhanced|modified|final)';
const PROMPT = '(?:prompt|text|descriptions?|instructions?|wording|message|version)';
/**
 * Patterns of texts that address the requester instead of the model under test, in their opening or when they mention
 * the task. They are matched against plain text, which has no apostrophes. A pattern that also matches the base is
 * ignored.
 */
const ASIDES = [
  /^\W*(?:sure|certainly|of course|absolutely|okay|ok|great|understood|as requested)\s?[,!.:]/,
  new RegExp(`\\bhere(?: is| are|s) (?:(?:the|an?|my|your|our) )?(?:\\w+ )?${REVISED} (?:\\w+ ){0,2}${PROMPT}\\b`),
  new RegExp(`^\\W*(?:the )?${REVISED} (?:system )?${PROMPT}\\s?:`),
  /\bi(?: have|ve)? (?:rewritten|rewrote|reworded|rephrased)\b/,
  new RegExp(
    '\\bi(?: have|ve)? (?:improved|revised|updated|changed|added|modified|refined|shortened|expanded|clarified) ' +
      `(?:to )?(?:the|your|this) (?:\\w+ )?${PROMPT}\\b`,
  ),
  /\b(?:failing|failed) (?:test )?(?:cases?|examples?)\b/,
  /\b(?:cases?|failures?|feedback) (?:shown |given |listed )?above\b/,
  /\bthe current text\b/,
  /\bthe (?:current|original|previous|base|improved|revised|rewritten) (?:system )?(?:prompt|wording)\b/,
  /\bth(?:is|e) (?:new |improved |revised )?(?:prompt|wording|version) (?:now )?(?:addresses|improves|fixes)\b/,
  /\blet me know if\b/,
];

const PLACEHOLDER = /\{\{[^{}]{1,100}\}\}|\$?\{[\w.-]{1,100}\}|<[A-Z][A-Z0-9_ -]{0,99}>/g;

/** `{{x}}`, `${x}`, `{x}` and `<X>`, without spaces. */
const placeholdersOf = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(PLACEHOLDER), ([placeholder]) => placeholder.replace(/\s/g, '')));

const describe = ({ what, text }: Leak): string =>
  what === 'run'
    ? `It repeats words of a case: "${shorten(text)}".`
    : `It contains an expected value of a case: "${shorten(text)}".`;

const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 99)}…` : text);
