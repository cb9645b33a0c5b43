import { errorResponse, type ResponsePlan, type Tool } from './formats/chat-completions.js';

/**
 * The tool sets of recent requests, latest first, with their text as JSON.stringify prints it. A suite sends the same
 * tools with every case.
 */
const known: { text: string; tools: Tool[] }[] = [];
const MAX_KNOWN = 16;
const KEY = '"tools":';

/**
 * Parses a request body. Equal tool sets become the same object, and a known one is not parsed again: tools are most of
 * a body.
 */
function readBody(text: string): unknown {
  const at = text.indexOf(`${KEY}[`) + KEY.length;
  const sent = at < KEY.length ? undefined : known.find((one) => text.startsWith(one.text, at));
  if (sent) {
    const body = JSON.parse(`${text.slice(0, at)}null${text.slice(at + sent.text.length)}`) as { tools?: unknown };
    if (body.tools === null) return Object.assign(body, { tools: sent.tools });
    // The key belonged to a nested object.
  }
  const body = JSON.parse(text) as { tools?: unknown } | null;
  if (!Array.isArray(body?.tools)) return body;
  const written = JSON.stringify(body.tools);
  const same = known.find((one) => one.text === written);
  if (same) return Object.assign(body, { tools: same.tools });
  known.unshift({ text: written, tools: body.tools as Tool[] });
  known.splice(MAX_KNOWN);
  return body;
}

export const NOT_JSON = Symbol('not JSON');
export const notJson = (): ResponsePlan => errorResponse(400, 'We could not parse the JSON body of your request.');

/** @returns `NOT_JSON` if the text is not JSON */
export function tryReadBody(text: string): unknown {
  try {
    return readBody(text);
  } catch {
    return NOT_JSON;
  }
}
