import {
  isNumber,
  isObject,
  numberSource,
  parseJson,
  toNumber,
  type Json,
  type JsonObject,
} from '#lib/contracts/json/json';

/** Thrown for a template that cannot be rendered the way promptfoo would. The message completes "a prompt ...". */
export class UnsupportedTemplate extends Error {}

/** A prompt of a case has at most 50,000 characters. A conversation may have several of them. */
const MAX_FILLED_LENGTH = 1_000_000;

/** The inputs of a template: variables, and `env`, the configuration's own environment. */
export interface Scope {
  vars: JsonObject;
  env: JsonObject;
}

/**
 * Renders a Nunjucks template the way promptfoo does: names, their fields, the filters below, `{% raw %}`, comments,
 * and the dashes that remove blanks. Nunjucks itself compiles templates to code, and this text comes from a user.
 * @param missing collects names without a value. They render as nothing, as in Nunjucks.
 * @throws UnreadTemplate
 */
export function renderTemplate(template: string, scope: Scope, missing = new Set<string>()): string {
  let text = '';
  for (const piece of piecesOf(template)) {
    text += typeof piece === 'string' ? piece : print(valueOf(piece, scope, missing));
    bound(text.length);
  }
  return text;
}

/** Like `renderTemplate`, but a template with a tag that is not closed on its line is kept literally. */
export const renderPrompt = (template: string, scope: Scope, missing?: Set<string>): string =>
  hasOpenTag(template) ? template : renderTemplate(template, scope, missing);

/** Renders each string in a value. A string that is only a variable stays a string. */
export function renderDeep(value: Json, scope: Scope, missing?: Set<string>): Json {
  if (typeof value === 'string') return isTemplate(value) ? renderTemplate(value, scope, missing) : value;
  if (Array.isArray(value)) return value.map((one) => renderDeep(one, scope, missing));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renderDeep(inner, scope, missing)]));
}

export const isTemplate = (text: string): boolean => /\{[{%#]/.test(text);

/** The value of a text that consists only of `{{ name }}`; undefined for any other text. */
export function valueAlone(text: string, scope: Scope): Json | undefined {
  const name = /^\{\{-?\s*([\p{L}\p{M}\p{N}_.]+)\s*-?\}\}$/u.exec(text.trim())?.[1];
  return name === undefined
    ? undefined
    : valueOf({ root: name.split('.')[0]!, path: name.split('.').slice(1), filters: [] }, scope, new Set());
}

const MAX_PASSES = 5;

/**
 * Renders variables in the values of others, as promptfoo does before it renders a prompt: one `{{ name }}` of each
 * value in each of five passes. A line break at the end of a value is dropped.
 */
export function resolveVariables(given: JsonObject): JsonObject {
  const vars = new Map(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value.replace(/\n$/, '') : value]),
  );
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    let isResolved = true;
    for (const [name, value] of vars) {
      const found = typeof value === 'string' ? /\{\{\s*(\w+)\s*\}\}/.exec(value) : null;
      const inner = found && vars.get(found[1]!);
      if (!found || inner === undefined || inner === null || isElsewhere(inner)) continue;
      const text = (value as string).replace(found[0], () => print(inner));
      if (text.length > MAX_FILLED_LENGTH)
        throw new UnsupportedTemplate('has variables that fill in one another endlessly');
      vars.set(name, text);
      isResolved = false;
    }
    if (isResolved) break;
  }
  return Object.fromEntries(vars);
}

/** Renders the templates in values of variables. A value that refers to an unknown name stays unchanged. */
export function renderVariables(scope: Scope): JsonObject {
  const isKnown = (name: string): boolean => name === 'env' || Object.hasOwn(scope.vars, name);
  return Object.fromEntries(
    Object.entries(scope.vars).map(([name, value]) => {
      if (typeof value !== 'string' || !isTemplate(value) || isElsewhere(value)) return [name, value];
      const names = [...value.matchAll(/\{\{\s*([A-Za-z_]\w*)/g)];
      return [name, names.every(([, one]) => isKnown(one!)) ? renderPrompt(value, scope) : value];
    }),
  );
}

/** Whether a value refers to a file or a package, which is not available here. */
export const isElsewhere = (value: Json): boolean => typeof value === 'string' && /^(?:file|package):/.test(value);

// Templates.

interface Expression {
  root: string | { value: Json };
  path: (string | number)[];
  filters: { name: string; args: Json[] }[];
}

const RAW = /\{%-?\s*(?:raw|verbatim)\s*-?%\}/y;
const END_RAW = /\{%-?\s*(?:endraw|endverbatim)\s*-?%\}/g;

function* piecesOf(template: string): Generator<string | Expression> {
  let at = 0;
  let trimNext = false;
  const before = (to: number): string => {
    const text = template.slice(at, to);
    const begun = trimNext ? text.trimStart() : text;
    return template[to + 2] === '-' ? begun.trimEnd() : begun;
  };
  for (const { index, 0: tag } of template.matchAll(/\{[{%#]/g)) {
    if (index < at) continue;
    yield before(index);
    if (tag === '{{') {
      const reader = new ExpressionReader(template, index + 2);
      yield reader.read();
      at = reader.at;
    } else if (tag === '{#') {
      at = template.indexOf('#}', index + 2) + 2;
      if (at < 2) throw new UnsupportedTemplate('has a comment without an end');
    } else {
      RAW.lastIndex = index;
      if (!RAW.test(template)) throw new UnsupportedTemplate('uses more of Nunjucks than "{{name}}": "{%"');
      END_RAW.lastIndex = RAW.lastIndex;
      const end = END_RAW.exec(template);
      if (!end) throw new UnsupportedTemplate('has "{% raw %}" without its end');
      yield template.slice(RAW.lastIndex, end.index);
      at = END_RAW.lastIndex;
    }
    trimNext = template[at - 3] === '-';
  }
  yield trimNext ? template.slice(at).trimStart() : template.slice(at);
}

const tooMuch = (): UnsupportedTemplate =>
  new UnsupportedTemplate('uses more of Nunjucks than names, their fields, and simple filters');

/** Reads `name.field['key'][0] | filter('a', 1) }}`. */
class ExpressionReader {
  constructor(
    readonly template: string,
    public at: number,
  ) {}

  read(): Expression {
    if (this.#next() === '-') this.at++;
    const root = this.#literal() ?? { name: this.#name() };
    const expression: Expression = { root: 'name' in root ? root.name : root, path: this.#path(), filters: [] };
    while (this.#skip() === '|') {
      this.at++;
      expression.filters.push({ name: this.#name(), args: this.#args() });
    }
    if (this.#next() === '-') this.at++;
    if (!this.template.startsWith('}}', this.at)) throw tooMuch();
    this.at += 2;
    return expression;
  }

  #path(): (string | number)[] {
    const path: (string | number)[] = [];
    for (;;) {
      const sign = this.#skip();
      if (sign !== '.' && sign !== '[') return path;
      this.at++;
      if (sign === '.') {
        path.push(this.#name());
        continue;
      }
      const { value } = this.#literal() ?? {};
      if ((typeof value !== 'string' && typeof value !== 'number') || this.#skip() !== ']') throw tooMuch();
      this.at++;
      path.push(value);
    }
  }

  #args(): Json[] {
    const args: Json[] = [];
    if (this.#skip() !== '(') return args;
    do {
      this.at++;
      if (args.length === 0 && this.#skip() === ')') break;
      const literal = this.#literal();
      if (!literal) throw tooMuch();
      args.push(literal.value);
    } while (this.#skip() === ',');
    if (this.#skip() !== ')') throw tooMuch();
    this.at++;
    return args;
  }

  #name(): string {
    return this.#take(/[\p{L}_$][\p{L}\p{M}\p{N}_$]*/uy) ?? this.#fail();
  }

  #literal(): { value: Json } | undefined {
    const sign = this.#skip();
    if (sign === '"' || sign === "'") return { value: this.#text(sign) };
    const number = this.#take(/-?\d+(?:\.\d+)?/y);
    if (number !== undefined) return { value: Number(number) };
    const word = this.#take(/(?:true|false|none|null)\b/y);
    return word === undefined ? undefined : { value: word === 'true' ? true : word === 'false' ? false : null };
  }

  #text(quote: string): string {
    let text = '';
    for (let at = this.at + 1; at < this.template.length; at++) {
      const sign = this.template[at]!;
      if (sign === quote) {
        this.at = at + 1;
        return text;
      }
      const escaped = sign === '\\' ? this.template[++at] : undefined;
      text += escaped === undefined ? sign : (ESCAPES[escaped] ?? escaped);
    }
    return this.#fail();
  }

  #take(pattern: RegExp): string | undefined {
    this.#skip();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.template)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  #next = (): string | undefined => this.template[this.at];

  /** Skips blanks, and returns the next token. */
  #skip(): string | undefined {
    while (/\s/.test(this.template[this.at] ?? '')) this.at++;
    return this.#next();
  }

  #fail(): never {
    throw tooMuch();
  }
}
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/** Whether a tag is open at the end of a line. promptfoo then keeps the whole template literally. */
function hasOpenTag(template: string): boolean {
  if (/\{%\s*raw\s*%\}/.test(template) && /\{%\s*endraw\s*%\}/.test(template)) return false;
  return [
    ['{{', '}'],
    ['{%', '%'],
    ['{#', '#'],
  ].some(([open, close]) => {
    let [closedAt, lineEnd] = [-1, -1];
    for (let at = template.indexOf(open!); at >= 0; at = template.indexOf(open!, at + 1)) {
      if (closedAt < at + 2) closedAt = indexOrEnd(template, close!, at + 2);
      if (lineEnd < at + 2) lineEnd = indexOrEnd(template, '\n', at + 2);
      if (lineEnd <= closedAt) return true;
    }
    return false;
  });
}

function indexOrEnd(text: string, sought: string, from: number): number {
  const index = text.indexOf(sought, from);
  return index < 0 ? text.length : index;
}

// Values.

function valueOf({ root, path, filters }: Expression, scope: Scope, missing: Set<string>): Json | undefined {
  const first = typeof root === 'string' ? lookUp(root, scope) : root.value;
  let value = path.reduce<Json | undefined>(fieldOf, first);
  const isDefaulted = filters[0]?.name === 'default' || filters[0]?.name === 'd';
  if (root === 'env' && value === undefined && !isDefaulted)
    throw new UnsupportedTemplate(`needs the environment variable ${path.join('.').slice(0, 80)}: set it in "env"`);
  if (first === undefined) missing.add(root as string);
  for (const { name, args } of filters) {
    const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (!filter) throw new UnsupportedTemplate(`uses the filter "${name.slice(0, 40)}", which is not supported`);
    value = filter(value, args);
    if (typeof value === 'string') bound(value.length);
  }
  return value;
}

function bound(length: number): void {
  if (length > MAX_FILLED_LENGTH)
    throw new UnsupportedTemplate(`has more than ${MAX_FILLED_LENGTH} characters with its variables`);
}

function lookUp(name: string, { vars, env }: Scope): Json | undefined {
  if (!Object.hasOwn(vars, name)) return name === 'env' ? env : undefined;
  const value = vars[name]!;
  if (isElsewhere(value))
    throw new UnsupportedTemplate(
      `uses the variable "${name.slice(0, 80)}", which is elsewhere (${(value as string).slice(0, 80)}): ` +
        'put its value into the configuration',
    );
  return value;
}

function fieldOf(value: Json | undefined, key: string | number): Json | undefined {
  if ((typeof value === 'string' || Array.isArray(value)) && key === 'length') return value.length;
  if (typeof value === 'string') return typeof key === 'number' ? value[key] : undefined;
  if (Array.isArray(value)) return /^\d+$/.test(String(key)) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A value in Nunjucks' output form. */
function print(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (isNumber(value)) {
    const source = numberSource(value);
    return /^-?\d+$/.test(source) ? source : String(Number(source));
  }
  if (Array.isArray(value)) return value.map(print).join(',');
  if (isObject(value))
    throw new UnsupportedTemplate(
      'prints an object, which promptfoo writes as "[object Object]": use the filter "dump"',
    );
  return String(value);
}

type Filter = (value: Json | undefined, args: readonly Json[]) => Json | undefined;

const refuse = (): never => {
  throw tooMuch();
};
/** Wraps a filter that Nunjucks cannot apply without a value. */
const ofValue =
  (change: (value: Json) => Json | undefined): Filter =>
  (value) => {
    if (value === undefined || value === null)
      throw new UnsupportedTemplate('uses a filter on a name without a value, which promptfoo refuses');
    return change(value);
  };
const ofText =
  (change: (text: string, args: readonly Json[]) => Json): Filter =>
  (value, args) => {
    return typeof (value ?? '') === 'string' ? change((value ?? '') as string, args) : refuse();
  };
const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
const orDefault: Filter = (value, [other, isLoose]) =>
  (isLoose === true ? Boolean(value) && !(isNumber(value) && toNumber(value) === 0) : value !== undefined)
    ? value
    : (other ?? '');

const replaced = ofText((text, [from, to]) => {
  if (typeof from !== 'string' || from === '' || typeof to !== 'string') return refuse();
  const parts = text.split(from);
  bound(text.length + parts.length * to.length);
  return parts.join(to);
});

/** Nunjucks filters, and promptfoo's own `load`. */
const FILTERS: Record<string, Filter> = {
  default: orDefault,
  d: orDefault,
  lower: ofText((text) => text.toLowerCase()),
  upper: ofText((text) => text.toUpperCase()),
  trim: ofValue((value) => (typeof value === 'string' ? value.trim() : refuse())),
  capitalize: ofText(capitalized),
  title: ofText((text) => text.split(' ').map(capitalized).join(' ')),
  replace: (value, args) => (value === undefined || value === null ? value : replaced(value, args)),
  load: ofText((text) => {
    try {
      return parseJson(text);
    } catch {
      throw new UnsupportedTemplate('loads a text that is not JSON');
    }
  }),
  length: (value) => {
    if (isObject(value)) return Object.keys(value).length;
    return value === undefined || value === null || value === false ? 0 : fieldOf(value, 'length');
  },
  first: ofValue((value) => fieldOf(value, 0)),
  last: ofValue((value) => fieldOf(value, (typeof value === 'string' || Array.isArray(value) ? value.length : 0) - 1)),
  join: (value, [separator]) => {
    if (!Array.isArray(value) || (separator !== undefined && typeof separator !== 'string')) throw tooMuch();
    bound(value.length * (separator?.length ?? 0));
    return value.map(print).join(separator ?? '');
  },
  dump: (value, [spaces]) => {
    const text = value === undefined ? undefined : JSON.stringify(value);
    if (typeof spaces !== 'number' || text === undefined) return text;
    bound(text.length * 10); // Each value may be indented.
    return JSON.stringify(value, null, Math.min(spaces, 10));
  },
  string: ofValue(print),
  safe: (value) => value ?? '',
};
