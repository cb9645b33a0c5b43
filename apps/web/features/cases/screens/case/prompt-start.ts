import { isObject, toText, type JsonObject } from '#lib/contracts/json/json';

const SHOWN = 80;

/** The beginning of the model's prompt. */
export function promptStart({ prompt, messages }: JsonObject): string {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  const text = typeof prompt === 'string' ? prompt : isObject(last) ? toText(last.content) : '';
  return text.length > SHOWN ? `${text.slice(0, SHOWN)} ...` : text;
}
