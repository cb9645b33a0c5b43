const BLANKS = /[ \t\r\n]*/y;
const TOKEN = /[ \t\r\n]*([{}[\],:"]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
/** The next character of a string that needs attention: its end, an escape or a control character. */
const IN_STRING = /["\\\u0000-\u001f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Finds the position where a text stops being JSON (RFC 8259). Lines and columns count from 1. Returns undefined for
 * valid JSON. The engine's own message often has no position.
 */
export function findJsonFault(text: string): { line: number; column: number } | undefined {
  const offset = faultOffset(text);
  if (offset === undefined) return undefined;
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

type Expecting = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma';

function faultOffset(text: string): number | undefined {
  const open: string[] = [];
  let expecting: Expecting = 'value';
  let at = 0;
  const skipBlanks = (): number => {
    BLANKS.lastIndex = at;
    BLANKS.test(text);
    return BLANKS.lastIndex;
  };
  for (;;) {
    if (expecting === 'comma' && open.length === 0) return skipBlanks() === text.length ? undefined : skipBlanks();
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[1];
    const start = token === undefined ? skipBlanks() : TOKEN.lastIndex - token.length;
    if (token === undefined) return start;
    at = TOKEN.lastIndex;
    const wantsKey: boolean = expecting === 'key' || expecting === 'key or }';
    const wantsValue: boolean = expecting === 'value' || expecting === 'value or ]';
    if (token === '"' && (wantsKey || wantsValue)) {
      const end = stringEnd(text, at);
      if (end.fault !== undefined) return end.fault;
      at = end.at;
      expecting = wantsKey ? 'colon' : 'comma';
    } else if (token === ':' && expecting === 'colon') expecting = 'value';
    else if (token === ',' && expecting === 'comma') expecting = open.at(-1) === '{' ? 'key' : 'value';
    else if ((token === '{' || token === '[') && wantsValue) {
      open.push(token);
      expecting = token === '{' ? 'key or }' : 'value or ]';
    } else if (token === '}' && open.at(-1) === '{' && (expecting === 'comma' || expecting === 'key or }')) {
      open.pop();
      expecting = 'comma';
    } else if (token === ']' && open.at(-1) === '[' && (expecting === 'comma' || expecting === 'value or ]')) {
      open.pop();
      expecting = 'comma';
    } else if (wantsValue && !/["{}[\],:]/.test(token)) expecting = 'comma';
    else return start;
  }
}

function stringEnd(text: string, from: number): { at: number; fault?: number } {
  for (IN_STRING.lastIndex = from; ;) {
    const found = IN_STRING.exec(text);
    if (!found) return { at: text.length, fault: text.length };
    if (found[0] === '"') return { at: IN_STRING.lastIndex };
    ESCAPE.lastIndex = found.index;
    if (!ESCAPE.test(text)) return { at: found.index, fault: found.index };
    IN_STRING.lastIndex = ESCAPE.lastIndex;
  }
}
