/** A pair of brackets that belong together, and the pairs inside of it. */
interface Block {
  start: number;
  end: number;
  startsLine: boolean;
  endsLine: boolean;
  inner: Block[];
}
type Bracket = { at: number; startsLine: boolean; endsLine: boolean };

const MOST_UNMATCHED = 65_536;

/**
 * The JSON in a text as promptfoo finds it: outermost pairs of brackets outside of strings and of code fences that
 * end where a line ends; of those that are JSON the ones that begin a line, of the others what is inside of them.
 * @throws Error where promptfoo gives up: too many brackets without a partner, or too much that is no JSON
 */
export function jsonInText(text: string): unknown[] {
  const found: unknown[] = [];
  let work = 4 * text.length;
  const visit = (blocks: readonly Block[]): void => {
    for (const { start, end, startsLine, endsLine, inner } of blocks) {
      if (!endsLine) continue;
      work -= end - start;
      if (work < 0) throw new Error('Too much of the text is no JSON: promptfoo gives up.');
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
  // No pair reaches across: what is open stays without a partner, and what is inside of it moves outwards.
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
    if (unmatched + open.length > MOST_UNMATCHED)
      throw new Error(`More than ${MOST_UNMATCHED} brackets without a partner: promptfoo gives up.`);
  }
  divide();
  return outermost;
}

const FENCE = /^[ \t]*(`{3,}|~{3,})/;

/**
 * Every bracket outside of strings and code fences; null where a fence or a string that is not closed divides the
 * text.
 */
function* bracketsIn(text: string): Generator<Bracket | null> {
  let fence: { marker: string; indent: number } | undefined;
  const lists: number[] = []; // the columns at which the items of lists begin
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

/** In columns: a tab reaches to the next one that four divides. */
function widthOf(text: string): number {
  let column = 0;
  for (const character of text) column += character === '\t' ? 4 - (column % 4) : 1;
  return column;
}
