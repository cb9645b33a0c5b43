import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';

/** What a code assertion requires of the call at an index of the output. */
export interface PositionedCall {
  index: number;
  tool?: string;
  params?: JsonObject;
}

/** Longer code is not a handwritten comparison. */
const MAX_CODE_LENGTH = 20_000;
const NAME = /output(?:\.tool_calls)?\[(\d{1,4})\](?:\.function)?\.name\s*={2,3}\s*(['"`])([\w.-]+)\2/g;
const PARSED_ARGUMENTS = /JSON\.parse\(\s*output(?:\.tool_calls)?\[(\d{1,4})\]\.function\.arguments\s*\)/;
const PROPERTY = /(?:\.(\w+)|\[(?<quote>['"])(.{1,200}?)\k<quote>\])/;
const LITERAL = /('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null)/;
const ARGUMENT = new RegExp(`${PARSED_ARGUMENTS.source}${PROPERTY.source}\\s*={2,3}\\s*${LITERAL.source}`, 'g');

/**
 * Reads comparisons of a call's name and arguments, joined by `&&`, as in promptfoo's own examples. Returns undefined
 * for any other code, which is not run.
 */
export function readJavascript(given: string): PositionedCall[] | undefined {
  // promptfoo evaluates one line of code as an expression, and several lines as a function body with a "return".
  const code = given.trimEnd();
  if (code.length > MAX_CODE_LENGTH || code.includes('\n') !== /\breturn\b/.test(code)) return undefined;
  const operators = code
    .replace(NAME, '#')
    .replace(ARGUMENT, '#')
    .replace(/\breturn\b|[\s;()]/g, '');
  if (!/^#(?:&&#)*$/.test(operators)) return undefined;
  return [
    ...[...code.matchAll(NAME)].map(([, index, , tool]) => ({ index: Number(index), tool: tool! })),
    ...[...code.matchAll(ARGUMENT)].map(([, index, plain, , quoted, literal]) => ({
      index: Number(index),
      params: { [plain ?? quoted!]: literalOf(literal!) },
    })),
  ];
}

const literalOf = (text: string): Json =>
  text.startsWith("'")
    ? parseJson(`"${text.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"`)
    : parseJson(text);
