import { jsonLanguage } from '@codemirror/lang-json';

interface Place {
  from: number;
  to: number;
}
type Node = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

const VALUES = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);
const childrenOf = (node: Node): Node[] => {
  const children: Node[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};
const isValue = ({ name }: Node): boolean => VALUES.has(name);

/** The position of a JSON Pointer in a text; if it leads nowhere, that of the innermost value on the way. */
export function placeOf(text: string, pointer: string): Place {
  let node = childrenOf(jsonLanguage.parser.parse(text).topNode).find(isValue);
  if (!node) return { from: 0, to: text.length };
  let shown = node;
  for (const part of pointer.split('/').slice(1)) {
    const inner: Node | undefined = step(text, node, part.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (!inner) break;
    // The name is more helpful than a value of many lines.
    shown = inner.parent?.name === 'Property' ? (inner.parent.firstChild ?? inner) : inner;
    node = inner;
  }
  const isLong = text.slice(shown.from, shown.to).includes('\n');
  return { from: shown.from, to: isLong ? shown.from + 1 : shown.to };
}

function step(text: string, node: Node, part: string): Node | undefined {
  if (node.name === 'Array') return childrenOf(node).filter(isValue)[Number(part)];
  if (node.name !== 'Object') return undefined;
  const named = childrenOf(node).findLast(
    (property) => property.name === 'Property' && nameOf(text, property) === part,
  );
  return named && childrenOf(named).find(isValue);
}

function nameOf(text: string, { firstChild }: Node): string | undefined {
  if (firstChild?.name !== 'PropertyName') return undefined;
  try {
    return JSON.parse(text.slice(firstChild.from, firstChild.to)) as string;
  } catch {
    return undefined;
  }
}
