/** A string (a key if a colon follows), or the start or end of an object or array. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)("?)(:?)|[{}[\]]/gsu;
/** Depth of an argument's check in the evidence JSON: `{pairs: [{arguments: [{path, verdict}]}]}`. */
const CHECK_DEPTH = 5;

/**
 * The path of the first argument that is wrong or missing.
 * @param evidence its JSON, possibly truncated at any point
 */
export function firstWrongArgument(evidence: string): string | null {
  let [depth, key, path] = [0, '', ''];
  for (const [token, text, end, colon] of evidence.matchAll(TOKEN)) {
    if (text === undefined) {
      depth += token === '{' || token === '[' ? 1 : -1;
      continue;
    }
    if (!end) return null;
    if (depth !== CHECK_DEPTH) continue;
    if (colon) key = text;
    else if (key === 'path') path = text;
    else if (key === 'verdict' && (text === 'mismatch' || text === 'missing')) return JSON.parse(`"${path}"`) as string;
  }
  return null;
}
