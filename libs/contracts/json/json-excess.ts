const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((one) => one.charCodeAt(0));
const OPENING: ReadonlySet<number> = new Set(['{', '['].map((one) => one.charCodeAt(0)));
const CLOSING: ReadonlySet<number> = new Set(['}', ']'].map((one) => one.charCodeAt(0)));

/**
 * Looks over a text of JSON in one pass, ten milliseconds for ten megabytes, and says of what it has too much. Parsing
 * it takes a hundred times as long. Whether it is JSON at all is not said.
 * @param most values (roughly: commas, lists and objects), and levels of lists and objects
 */
export function findJsonExcess(text: string, most: { values: number; depth: number }): 'values' | 'depth' | undefined {
  let [values, depth] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
    } else if (code === COMMA || OPENING.has(code)) {
      if (++values > most.values) return 'values';
      if (code !== COMMA && ++depth > most.depth) return 'depth';
    } else if (CLOSING.has(code)) depth--;
  }
  return undefined;
}
