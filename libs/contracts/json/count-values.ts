const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Estimates the number of values in a JSON text before it is parsed: each comma, list and object outside of strings
 * counts. Stops at the first limit that the text exceeds.
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
 * Finds which limit a JSON text exceeds, before it is parsed, which takes a hundred times as long. Does not check that
 * it is JSON.
 * @param most values (roughly: commas, lists and objects), and levels of lists and objects
 */
export function findJsonExcess(text: string, most: { values: number; depth: number }): 'values' | 'depth' | undefined {
  const maxValues = most.values + 1; // The root counts as one.
  const { values, depth } = countValues(new TextEncoder().encode(text), { maxValues, maxDepth: most.depth });
  if (values > maxValues) return 'values';
  return depth > most.depth ? 'depth' : undefined;
}

/**
 * Counts the commas and opening brackets in JSON, which has at most one value more than these. This estimates the cost
 * of parsing it and takes a millisecond per megabyte. Marks within strings count, too.
 */
export function countMarks(json: Uint8Array): number {
  let marks = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) marks++;
  }
  return marks;
}
