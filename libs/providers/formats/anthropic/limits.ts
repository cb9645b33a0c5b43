import { toText, type Json } from '#lib/contracts/json/json';
import type { Note } from '../../dialects/note.js';
import { note } from '../../dialects/read-messages.js';

/** Maximum output tokens: https://platform.claude.com/docs/en/about-claude/models/overview */
const MAX_OUTPUT_TOKENS: { since: [major: number, minor: number]; tokens: number; opus?: number }[] = [
  { since: [4, 6], tokens: 128_000 },
  { since: [4, 5], tokens: 64_000 },
  { since: [4, 0], tokens: 64_000, opus: 32_000 },
  { since: [3, 7], tokens: 64_000 },
  { since: [3, 5], tokens: 8192 },
];
/** Every Claude since version 4 accepts it. */
const UNNUMBERED_CLAUDE = 32_000;
/** For older models, and for other hosts that use this format: they reject a limit above their maximum. */
const DEFAULT_MAX_OUTPUT_TOKENS = 4096;

/** "claude-opus-4-1-20250805", "claude-3-5-haiku-latest", "us.anthropic.claude-sonnet-4-5-v1:0", "claude-opus-4.6" */
const VERSION = /claude-(?:([a-z]+)-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?(?:-([a-z]+))?/;

/** The `max_tokens` to send, which Anthropic requires, for a request without a limit. */
export function maxOutputTokens(model: Json | undefined, notes: Note[]): number {
  const tokens = lookUp(toText(model ?? '').toLowerCase());
  note(
    notes,
    'max_tokens',
    `Anthropic's format requires "max_tokens"; ${tokens} was sent. Set max_tokens for another limit.`,
  );
  return tokens;
}

function lookUp(name: string): number {
  const [, before, major, minor = '0', after] = VERSION.exec(name) ?? [];
  if (major === undefined) return /claude-(?!instant)/.test(name) ? UNNUMBERED_CLAUDE : DEFAULT_MAX_OUTPUT_TOKENS;
  const version = Number(major) * 100 + Number(minor);
  const known = MAX_OUTPUT_TOKENS.find(({ since }) => version >= since[0] * 100 + since[1]);
  return (
    (before === 'opus' || after === 'opus' ? known?.opus : undefined) ?? known?.tokens ?? DEFAULT_MAX_OUTPUT_TOKENS
  );
}
