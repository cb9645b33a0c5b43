import { isObject, type Json } from '#lib/contracts/json';

/** promptfoo 0.123 `tool-call-f1`: names only, as sets. @throws Error when no expected name is given, which it refuses too. */
export function promptfooToolCallF1(output: unknown, value: string | string[], options: { threshold: number; inverse: boolean }) {
  const names = (typeof value === 'string' ? value.split(',') : value).map((name) => name.trim()).filter(Boolean);
  if (names.length === 0) throw new Error('promptfoo needs at least one expected tool name: it cannot express "no tool".');
  const [expected, called] = [new Set(names), namesIn(output)];
  const both = [...expected].filter((name) => called.has(name)).length;
  const precision = called.size ? both / called.size : 0;
  const recall = both / expected.size;
  const score = both ? (2 * precision * recall) / (precision + recall) : 0;
  return { score, pass: score >= options.threshold !== options.inverse, called: [...called].sort() };
}

/** The names in an answer of OpenAI (chat, Responses), Anthropic, Google, or in text that holds such JSON. */
function namesIn(output: unknown): Set<string> {
  if (typeof output === 'string') {
    try {
      return namesIn(JSON.parse(output));
    } catch {
      return new Set(jsonBlocks(output).flatMap((block) => [...namesIn(block)]));
    }
  }
  if (Array.isArray(output)) return new Set(output.filter((item) => typeof item === 'object' && item !== null).flatMap((item) => nameOfItem(item as Item)));
  if (!isObject(output)) return new Set();
  if (Array.isArray(output.tool_calls)) {
    return new Set(output.tool_calls.flatMap((call) => (isObject(call) ? [...nameOf(call.function), ...nameOf(call)] : [])));
  }
  if (output.type === 'tool_use' || output.type === 'function_call') {
    const name = nameOf(output);
    if (name.length) return new Set(name);
  }
  if (output.functionCall) return new Set(nameOf(output.functionCall));
  if (isObject(output.toolCall) && Array.isArray(output.toolCall.functionCalls)) return new Set(output.toolCall.functionCalls.flatMap(nameOf));
  return new Set();
}

type Item = { [key: string]: Json };
const nameOf = (value: Json | undefined): string[] => (isObject(value) && typeof value.name === 'string' ? [value.name] : []);

function nameOfItem(item: Item): string[] {
  if (item.type === 'tool_use' && typeof item.name === 'string') return [item.name];
  for (const wrapper of [item.functionCall, item.function]) if (typeof wrapper === 'object' && wrapper !== null) return nameOf(wrapper);
  return nameOf(item);
}

/** JSON that begins where a line begins and ends where a line ends, outside code fences. */
function jsonBlocks(text: string): unknown[] {
  const blocks: unknown[] = [];
  const lines = text.split('\n');
  let fence = '';
  for (let first = 0; first < lines.length; first++) {
    const marker = /^[ \t]*(?:(?:[-+*]|\d+[.)])[ \t]+)?(`{3,}|~{3,})(.*)$/.exec(lines[first]!.trimEnd());
    if (fence) {
      if (marker && marker[1]![0] === fence[0] && marker[1]!.length >= fence.length && !marker[2]!.trim()) fence = '';
      continue;
    }
    if (marker && !(marker[1]![0] === '`' && marker[2]!.includes('`'))) {
      fence = marker[1]!;
      continue;
    }
    if (!/^\s*[{[]/.test(lines[first]!)) continue;
    const last = lastLineOf(lines, first);
    if (last === undefined) continue;
    try {
      blocks.push(JSON.parse(lines.slice(first, last + 1).join('\n')));
      first = last;
    } catch {
      // What begins inside of it is tried with its own line.
    }
  }
  return blocks;
}

/** The line on which the brackets that open on `first` are closed; undefined when something follows them there. */
function lastLineOf(lines: readonly string[], first: number): number | undefined {
  let depth = 0;
  for (let at = first; at < lines.length; at++) {
    const line = lines[at]!.trimEnd().replace(/"(?:[^"\\]|\\.)*"/g, '');
    if (/^\s*(`{3,}|~{3,})/.test(line)) return undefined;
    for (let column = 0; column < line.length; column++) {
      if ('{['.includes(line[column]!)) depth++;
      else if ('}]'.includes(line[column]!) && --depth === 0) return column === line.length - 1 ? at : undefined;
    }
  }
  return undefined;
}
