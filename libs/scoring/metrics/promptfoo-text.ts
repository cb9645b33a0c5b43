/** A matching pair of brackets, and the pairs inside it. */
interface Block {
  start: number;
  end: number;
  startsLine: boolean;
  endsLine: boolean;
  inner: Block[];
}
type Bracket = { at: number; startsLine: boolean; endsLine: boolean };

const MAX_UNMATCHED = 65_536;

/**
 * Finds the JSON in a text as promptfoo does. It takes the outermost pairs of brackets that end at the end of a line,
 * outside strings and code fences. A pair that is JSON counts if it starts a line. If a pair is not JSON, the pairs
 * inside it are tried.
 * @throws Error when promptfoo gives up: too many unmatched brackets, or too much text that is not JSON
 */
export function jsonInText(text: string): unknown[] {
  const found: unknown[] = [];
  let work = 4 * text.length;
  const visit = (blocks: readonly Block[]): void => {
    for (const { start, end, startsLine, endsLine, inner } of blocks) {
      if (!endsLine) continue;
      work -= end - start;
      if (work < 0) throw new Error('Too much of the text is not JSON: promptfoo gives up.');
      let value: unknown;
      try {
        value = JSON.parse(text.slice(start, end));
      } catch {
        visit(inner);
        continue;
      }
      if (startsLine) found.push(value);
    }
  };
  visit(blocksIn(text));
  return found;
}

function blocksIn(text: string): Block[] {
  const outermost: Block[] = [];
  let open: { bracket: Bracket; inner: Block[] }[] = [];
  let unmatched = 0;
  // No pair spans a divider. Open brackets stay unmatched, and the pairs inside them move outwards.
  const divide = (): void => {
    unmatched += open.length;
    for (const { inner } of open) for (const block of inner) outermost.push(block);
    open = [];
  };
  for (const bracket of bracketsIn(text)) {
    const character = bracket === null ? '' : text[bracket.at];
    if (bracket === null) divide();
    else if (character === '{' || character === '[') open.push({ bracket, inner: [] });
    else if (open.length && text[open.at(-1)!.bracket.at] === (character === '}' ? '{' : '[')) {
      const { bracket: start, inner } = open.pop()!;
      (open.at(-1)?.inner ?? outermost).push({
        start: start.at,
        end: bracket.at + 1,
        startsLine: start.startsLine,
        endsLine: bracket.endsLine,
        inner,
      });
    } else {
      divide();
      unmatched++;
    }
    if (unmatched + open.length > MAX_UNMATCHED)
      throw new Error(`More than ${MAX_UNMATCHED} unmatched brackets: promptfoo gives up.`);
  }
  divide();
  return outermost;
}

const FENCE = /^[ \t]*(`{3,}|~{3,})/;

/**
 * Every bracket outside strings and code fences. Null marks a fence or an unclosed string, which divides the text.
 */
function* bracketsIn(text: string): Generator<Bracket | null> {
  let fence: { marker: string; indent: number } | undefined;
  const lists: number[] = []; // the columns at which list items start
  let lineStart = 0;
  for (const line of text.split('\n')) {
    const content = line.trimEnd();
    const offset = lineStart;
    lineStart += line.length + 1;
    const first = content.search(/\S/);
    const indent = widthOf(content.slice(0, Math.max(0, first)));
    if (fence && content && indent < fence.indent) {
      fence = undefined;
      yield null;
    }
    if (fence) {
      const [whole, marker] = FENCE.exec(content) ?? [];
      const closes =
        marker !== undefined &&
        indent <= fence.indent + 3 &&
        marker[0] === fence.marker[0] &&
        marker.length >= fence.marker.length;
      if (closes && content.slice(whole!.length).trim() === '') fence = undefined;
      continue;
    }
    while (content && lists.length && indent < lists.at(-1)!) lists.pop();
    const item = /^[ \t]*(?:[-+*]|\d+[.)])[ \t]+/.exec(content)?.[0];
    if (item !== undefined) lists.push(widthOf(item));
    const column = lists.at(-1) ?? 0;
    const body = content.slice(item?.length ?? 0);
    const [whole, marker] = FENCE.exec(body) ?? [];
    if (
      marker !== undefined &&
      (item !== undefined || indent <= column + 3) &&
      (marker[0] !== '`' || !body.slice(whole!.length).includes('`'))
    ) {
      fence = { marker, indent: column };
      yield null;
      continue;
    }
    let inString = false;
    for (let at = 0; at < content.length; at++) {
      const character = content[at]!;
      if (inString && character === '\\') at++;
      else if (character === '"') inString = !inString;
      else if (!inString && '{}[]'.includes(character))
        yield { at: offset + at, startsLine: at === first, endsLine: at === content.length - 1 };
    }
    if (inString) yield null;
  }
}

/** The width in columns. A tab extends to the next multiple of four. */
function widthOf(text: string): number {
  let column = 0;
  for (const character of text) column += character === '\t' ? 4 - (column % 4) : 1;
  return column;
}
