import { toText, isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { failureIn } from './failed-result.js';
import type { Note } from './note.js';

export type Part = { text: string } | { image: { mediaType: string; base64: string } | { url: string } };

interface Call {
  id: string;
  name: string;
  arguments: JsonObject;
  /** The call as it appears in the message. */
  source: JsonObject;
}

/** A message, parsed for formats other than OpenAI's. */
export type Turn =
  | { role: 'user'; parts: Part[] }
  | { role: 'assistant'; parts: Part[]; calls: Call[]; source: JsonObject }
  | { role: 'tool'; callId: string; toolName: string; text: string; failed?: string };

/**
 * Splits a conversation into its instructions, one text per message that has some, and its turns.
 * @param messages whose calls all have unique ids
 */
export function readMessages(messages: Json | undefined, notes: Note[]): { system: string[]; turns: Turn[] } {
  const system: string[] = [];
  const turns: Turn[] = [];
  const nameOf = new Map<string, string>();
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isObject(message)) continue;
    switch (message.role) {
      case 'system':
      case 'developer':
        if (turns.length > 0)
          note(notes, 'late-system', 'A system message inside the conversation was moved to its beginning.');
        system.push(textIn(message.content));
        break;
      case 'assistant': {
        const calls = readCalls(message, notes);
        for (const { id, name } of calls) nameOf.set(id, name);
        turns.push({ role: 'assistant', parts: partsOf(message.content, notes), calls, source: message });
        break;
      }
      case 'tool': {
        const callId = toText(message.tool_call_id ?? '');
        turns.push({
          role: 'tool',
          callId,
          toolName: nameOf.get(callId) ?? toText(message.name ?? 'unknown'),
          text: textIn(message.content),
          ...(failureIn(message) !== undefined && { failed: failureIn(message)! }),
        });
        break;
      }
      case 'user':
        turns.push({ role: 'user', parts: partsOf(message.content, notes) });
        break;
      default:
        note(notes, 'role', `A message of role "${toText(message.role)}" was left out.`);
    }
  }
  return { system: system.filter(Boolean), turns };
}

function readCalls(message: JsonObject, notes: Note[]): Call[] {
  return (Array.isArray(message.tool_calls) ? message.tool_calls : []).flatMap((source) => {
    if (!isObject(source) || !isObject(source.function)) return [];
    const given = source.function.arguments;
    const read = objectIn(given);
    if (!read && given !== '')
      note(
        notes,
        'call-arguments',
        'Arguments that are not a JSON object cannot be sent back to the model; {} was sent.',
      );
    return [
      {
        id: toText(source.id),
        name: toText(source.function.name),
        arguments: read ?? {},
        source,
      },
    ];
  });
}

/**
 * The original parts of a reply, to be sent back unchanged. Undefined if there are none, or if the message's calls
 * differ from those of the parts (because they were read from its text, for example).
 */
export function originalPieces(
  pieces: Json | undefined,
  message: JsonObject,
  callIn: (piece: JsonObject) => Json | undefined,
): JsonObject[] | undefined {
  if (!Array.isArray(pieces) || pieces.length === 0) return undefined;
  const said = pieces.filter(isObject);
  const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []).map((call) =>
    isObject(call) ? call.id : undefined,
  );
  const called = said.map(callIn).filter((id) => id !== undefined);
  return calls.length === called.length && called.every((id, index) => id === calls[index]) ? said : undefined;
}

/** An object, or the object in a JSON text. */
export function objectIn(value: Json | undefined): JsonObject | undefined {
  if (isObject(value)) return value;
  if (typeof value !== 'string') return undefined;
  try {
    const parsed = parseJson(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export const note = (notes: Note[], what: string, message: string): void => {
  if (!notes.some((known) => known.what === what)) notes.push({ what, message });
};

export function textIn(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return (Array.isArray(content) ? content : [])
    .flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}

function partsOf(content: Json | undefined, notes: Note[]): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return (Array.isArray(content) ? content : []).flatMap((part): Part[] => {
    if (!isObject(part)) return [];
    if (typeof part.text === 'string') return [{ text: part.text }];
    const url = isObject(part.image_url) ? part.image_url.url : undefined;
    if (typeof url !== 'string') {
      note(notes, 'part', `A part of type "${toText(part.type)}" in a message was left out.`);
      return [];
    }
    const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    return [{ image: mediaType ? { mediaType, base64: base64! } : { url } }];
  });
}
