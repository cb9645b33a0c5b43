const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts what a JSON text will be as values, before it is parsed: each comma, list and object outside of strings. Stops
 * at the first bound that the text goes beyond.
 * @param json UTF-8
 */
export function countValues(
  json: Uint8Array,
  { maxValues = Infinity, maxDepth = Infinity } = {},
): { values: number; depth: number } {
  let [values, level, depth] = [1, 0, 0];
  for (let at = 0; at < json.length && values <= maxValues && depth <= maxDepth; at++) {
    switch (json[at]) {
      case QUOTE:
        for (at++; at < json.length && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
        break;
      case COMMA:
        values++;
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        values++;
        if (++level > depth) depth = level;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        level--;
    }
  }
  return { values, depth };
}

/**
 * Says of what a text of JSON has too much, before it is parsed, which takes a hundred times as long. Whether it is
 * JSON at all is not said.
 * @param most values (roughly: commas, lists and objects), and levels of lists and objects
 */
export function findJsonExcess(text: string, most: { values: number; depth: number }): 'values' | 'depth' | undefined {
  const maxValues = most.values + 1; // The whole counts as one, too.
  const { values, depth } = countValues(new TextEncoder().encode(text), { maxValues, maxDepth: most.depth });
  if (values > maxValues) return 'values';
  return depth > most.depth ? 'depth' : undefined;
}

/**
 * Counts the commas and opening brackets in JSON, which has at most one value more than these: what parsing it may
 * cost, in a millisecond for each megabyte. Those within texts count, too.
 */
export function countMarks(json: Uint8Array): number {
  let marks = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) marks++;
  }
  return marks;
}
