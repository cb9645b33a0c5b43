/*
 * Recognises a value printed by a program that should have written its JSON: `str(response)` of Python, `console.log`
 * and `String(object)` of JavaScript, Ruby's `inspect`, Go's `%+v`, Rust's `{:?}`, Java's `toString`, protobuf's text.
 * Calls in it cannot be read, but it may contain some.
 */

/** Starts of such texts. Answers in prose or code may start the same way: what decides is whether `TELLS` follows. */
const BEGINS = [
  /^[a-z_]{2,40}=(?:['"[({<\d]|[A-Z]|None\b)/, // id='x' choices=[Choice(
  /^&?\[?\s{0,20}&?\{\s{0,20}:?\w{1,40}(?:=|:)/, // { role: 'assistant', {:role=>, &{ID:x
  /^(?:response:\s{1,5})?\[?(?:\w{1,60}\.){0,5}[A-Z][\w$]{1,60}\s?[{[(]/, // AIMessage {, ChatResponse [
  /^[a-z_]{2,40} \{\s/, // candidates {
  /^\(['"[{A-Z]/, // ('text', [ToolCall(
  /^assistant:\s{0,5}\[/, // assistant: [ToolCallBlock(
];
/** Fields of a reply, with the separator between name and value. */
const PRINTED_MARKERS = [
  /\b(?:tool_?calls?|function_?calls?|tool_?use|tool_?name|tool_?execution_?requests?)["']?\s{0,3}[=:({[]/i,
  /\b(?:finish_?reason|stop_?reason|additional_kwargs|response_metadata|choices|candidates)["']?\s{0,3}[=:({[]/i,
  /\b(?:ToolCall|FunctionCall|ToolUse)[A-Za-z]{0,20}[({[]/,
  /\brole["']?\s{0,2}(?:=>|=|:)\s{0,2}["':]?(?:\w{1,20}\.){0,2}assistant\b/i,
];
/** Texts that are certainly printed, whatever follows. */
const CERTAIN_MARKERS = [
  /^<[^<>\n]{1,200} at 0x[0-9a-f]{2,16}>/i, // <openai.Stream object at 0x7f12>
  /^#<[A-Z]\w{0,60}(?:::\w{1,60}){1,9}[ :>]/, // #<OpenAI::Models::Chat
  /^\[object [A-Z]\w{0,40}\](?:,\[object|$)/,
  /^b(?:'[{[]|"[{[])/,
  /^assistant:\s{0,5}(?:None|null)?$/, // LlamaIndex, for a reply without text
  /^(?:[A-Za-z_$][\w$]{0,60}\.){1,9}\w{0,60}(?:@[0-9a-f]{4,16}|(?:Completion|Response|Message|Result|Stream|Reply))$/,
];
const MAX_BEGIN = 300;

/** Whether a text is a printed model reply, or a printed object around one. */
export function isPrinted(text: string): boolean {
  const begin = text.slice(0, 2 * MAX_BEGIN).trim();
  if (CERTAIN_MARKERS.some((one) => one.test(text.length > MAX_BEGIN ? begin.slice(0, MAX_BEGIN) : begin))) return true;
  return BEGINS.some((one) => one.test(begin)) && PRINTED_MARKERS.some((one) => one.test(text));
}

/** Whether a text is a printed empty value: the rest of the reply is not recorded. */
export const isPrintedNothing = (text: string): boolean => /^(?:None|null|undefined|nil)$/.test(text.trim());

const PRINTED_PROMPT = /^(?:\[object [A-Z]\w{0,40}\]$|(?:messages=)?\[?(?:Human|System|AI|Tool)Message\(content=)/;

/** Whether a message's text is the printed message. Users may well ask about any other printed text. */
export const isPrintedPrompt = (text: string): boolean => PRINTED_PROMPT.test(text.trim());

const FAILURES = [
  /^Traceback \(most recent call last\):/,
  /^(?:\w{1,60}\.){0,5}\w{0,60}(?:Error|Exception): (?:Error code: )?\d{3}\b/, // RateLimitError: 429
  /^(?:HTTP )?Error (?:code:? )?[45]\d\d\b/, // HTTP Error 429: Too Many Requests
  /^[45]\d\d (?:Client|Server) Error: /, // 503 Server Error: Service Unavailable for url: https://
  /^(?:HTTP )?4\d\d (?:Too Many Requests|Request Timeout|Unauthorized|Forbidden)\.?$/,
  /^(?:HTTP )?5\d\d (?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)\.?$/,
];

/** Whether a text is the printed error of a failed request. */
export function isPrintedFailure(text: string): boolean {
  const begin = text.slice(0, 500).trim();
  return FAILURES.some((one) => one.test(begin));
}

const HIDDEN = /^(?:[[<({]{1,2}(?:redacted|filtered|masked|hidden|scrubbed)[\])>}]{1,2}|\*{3,80})$/i;

/** Whether a text replaces content that a tracing tool was configured to hide. */
export const isHidden = (text: string): boolean =>
  text === '__REDACTED__' || text === 'REDACTED' || (text.length < 100 && HIDDEN.test(text));
