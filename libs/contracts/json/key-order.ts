/**
 * JavaScript puts keys like "2" before all others, whatever their order in the text. Python does not, and metrics that
 * compare values as Python prints them depend on the order. So this module remembers the key order of such objects.
 */
const written = new WeakMap<object, string[]>();

/** The keys of an object from `parseJson`, in source order. */
export const keysInSourceOrder = (object: object): string[] => written.get(object) ?? Object.keys(object);

/** Like `JSON.stringify`, but keys keep the order of the source text. */
export function stringifyInSourceOrder(value: unknown): string {
  const text = JSON.stringify(value);
  return text !== undefined && MAY_HOLD_SOME.test(text) ? inOrder(value)! : text;
}

function inOrder(value: unknown): string | undefined {
  if (Array.isArray(value)) return `[${value.map((item) => inOrder(item) ?? 'null').join()}]`;
  if (
    typeof value !== 'object' ||
    value === null ||
    (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value)
  )
    return JSON.stringify(value);
  const members = keysInSourceOrder(value).flatMap((key) => {
    const text = inOrder((value as Record<string, unknown>)[key]);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return `{${members.join()}}`;
}

const INDEX_LIKE = /^\d+$/;
/** Every text is searched for this pattern, so it starts with something rare. */
const MAY_HOLD_SOME = /\d"\s*:/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** Remembers the key order of the text that was parsed as `root`. */
export function rememberKeyOrder(text: string, root: unknown): void {
  if (!MAY_HOLD_SOME.test(text)) return;
  const open: { value: unknown; keys: string[] | null; at: string | number; isKeyNext: boolean }[] = [];
  const inside = (value: unknown, key: string | number): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  for (const [token] of text.matchAll(TOKENS)) {
    const top = open.at(-1);
    if (token === '{' || token === '[') {
      open.push({
        value: top ? inside(top.value, top.at) : root,
        keys: token === '{' ? [] : null,
        at: 0,
        isKeyNext: token === '{',
      });
    } else if (token === '}' || token === ']') {
      const { value, keys } = open.pop()!;
      // The last value of a repeated key counts.
      if (keys?.some((key) => INDEX_LIKE.test(key)) && typeof value === 'object' && value !== null)
        written.set(value, [...new Set(keys)]);
    } else if (token === ',') {
      if (top!.keys) top!.isKeyNext = true;
      else (top!.at as number)++;
    } else if (token !== ':' && top?.isKeyNext) {
      top.at = JSON.parse(token) as string;
      top.keys!.push(top.at);
      top.isKeyNext = false;
    }
  }
}
