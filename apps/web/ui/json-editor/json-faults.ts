import { jsonLanguage } from '@codemirror/lang-json';
import type { InputError } from '#lib/contracts/input/problem';
import { findJsonFault } from '#lib/contracts/json/json-fault';

export interface Fault {
  from: number;
  to: number;
  message: string;
}

/** The position of the syntax error; otherwise the API's validation errors. */
export function faultsOf(text: string, errors: readonly InputError[], isOptional: boolean): Fault[] {
  if (text.trim() === '') return isOptional ? [] : [{ from: 0, to: text.length, message: 'A value is missing.' }];
  const fault = findJsonFault(text);
  if (!fault) return errors.map(({ path, message }) => ({ ...placeOf(text, path), message }));
  const lines = text.split('\n').slice(0, fault.line - 1);
  const at = lines.reduce((sum, line) => sum + line.length + 1, 0) + fault.column - 1;
  const from = Math.min(at, Math.max(0, text.length - 1));
  const message = `Line ${fault.line}, column ${fault.column}: this is not JSON.`;
  return [{ from, to: Math.min(from + 1, text.length), message }];
}

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
function placeOf(text: string, pointer: string): Place {
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
