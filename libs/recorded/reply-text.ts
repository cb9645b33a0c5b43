import type { ReplyText } from '#lib/contracts/result';
import type { ModelReply } from '#lib/providers/replies/model-reply';
import { storedReplies, type StoredBodies } from '#lib/providers/formats/stored-reply';
import { contentText, splitThoughts, thoughtsInFields } from '#lib/scoring/replies/thoughts';

/** Maximum characters per text. */
const MAX_SHOWN = 20_000;
/** The number of characters that are searched for marks of thoughts, in all rounds together. */
const MAX_READ = 2 ** 20;

/** The texts of a model's replies, by round; empty if no model replied, or a chain was not played to its end. */
export function replyTextIn(bodies: StoredBodies): ReplyText[] {
  const replies = storedReplies(bodies) ?? [];
  return replies.map((reply) => replyTextOf(reply, Math.floor(MAX_READ / replies.length)));
}

function replyTextOf({ message, finishReason }: ModelReply, maxRead: number): ReplyText {
  const whole = contentText(message.content);
  const { said, thoughts } = splitThoughts(whole.slice(0, maxRead), { keepQuotes: true });
  const unread = Math.max(0, whole.length - maxRead);
  const allThoughts = [thoughtsInFields(message, Infinity), thoughts].filter((text) => text.trim() !== '').join('\n');
  return {
    text: shorten(said, unread),
    thoughts: shorten(allThoughts),
    refusal: typeof message.refusal === 'string' ? shorten(message.refusal) : null,
    finish_reason: finishReason,
  };
}

/** @param unread the number of further characters of the text */
function shorten(text: string, unread = 0): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (trimmed.length <= MAX_SHOWN && unread === 0) return trimmed.toWellFormed();
  const length = (trimmed.length + unread).toLocaleString('en');
  return `${trimmed.slice(0, MAX_SHOWN).toWellFormed()}... (${length} characters)`;
}
