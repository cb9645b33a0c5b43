import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser, Scalar } from 'yaml';
import type { Alias, CST, ParsedNode, YAMLMap } from 'yaml';
import {
  toText,
  isDeeperThan,
  isObject,
  MAX_JSON_DEPTH,
  parseJson,
  type Json,
  type JsonObject,
} from '#lib/contracts/json/json';
import { endWithPeriod, ProblemError } from '#lib/contracts/input/problem';

/** A file of this size takes about two seconds of CPU. */
const MAX_YAML_LENGTH = 2 * 2 ** 20;
const tooMuchYaml = (): ProblemError =>
  new ProblemError(413, `YAML is read up to ${MAX_YAML_LENGTH / 2 ** 20} MiB. Send more as JSON or JSON Lines.`);
/** The size limit of a file that is still arriving, and the error for exceeding it. */
export const YAML_LIMIT = { size: MAX_YAML_LENGTH, refusal: tooMuchYaml };

/** The limit after aliases are expanded. A few hundred bytes of YAML can expand to billions of values. */
const MAX_VALUES = 1_000_000;
const MAX_ALIASES = 10_000;
/**
 * The library and this reader recurse. The limit is higher than `MAX_JSON_DEPTH`, because each indentation mistake adds
 * a level.
 */
const MAX_DEPTH = 1000;
/** The library keeps up to 400 bytes per lexeme, and a thread of the API has a heap of 512 MiB. */
const MAX_LEXEMES = 1_200_000;

/**
 * Always YAML 1.2, whatever a `%YAML` line says, so that `no` and `2024-01-01` are texts. Tags of other types are not
 * resolved. `toJson` compares the keys, because the library compares each key of an object with all others.
 */
const OPTIONS = { schema: 'core', resolveKnownTags: false, uniqueKeys: false } as const;

/** Characters that YAML requires to be escaped. The library accepts them. */
const NOT_PRINTABLE = /[\0-\x08\v\f\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff\p{Surrogate}]/u;

export interface ReadYaml {
  value: Json;
  /** Returns the lines on which the entries of a list start. `key` is the top-level key of the list. */
  linesOf(key: string): number[];
}

type Fault = (at: number, why: string) => ProblemError;

/**
 * Reads YAML 1.2, which includes JSON. Numbers keep their source text.
 * @throws ProblemError 400 that names line and column, or 413
 */
export function readYaml(text: string): ReadYaml {
  if (text.length > MAX_YAML_LENGTH) throw tooMuchYaml();
  // The library does not treat a lone carriage return as a line end.
  const source = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const lineCounter = new LineCounter();
  const fault: Fault = (at, why) => {
    const { line, col } = lineCounter.linePos(at);
    return new ProblemError(
      400,
      `The file is not YAML at line ${line}, column ${col}: ${endWithPeriod(why)} Nothing was imported.`,
    );
  };

  const [document, second] = new Composer<ParsedNode>(OPTIONS).compose(parse(source, lineCounter, fault));
  if (!document) throw new ProblemError(400, 'The file holds no YAML document.');
  if (second) throw new ProblemError(400, 'The file holds at least 2 YAML documents instead of one.');
  const unknownTags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const [error] = [...document.errors, ...unknownTags];
  if (error) throw fault(error.pos[0], error.message);
  const unprintable = source.search(NOT_PRINTABLE);
  if (unprintable >= 0) throw fault(unprintable, 'a character here is not printable, and must be escaped');

  const root = document.contents;
  return {
    value: toJson(root, fault),
    linesOf: (key) => {
      const list = isMap(root) ? root.get(key) : undefined;
      return isSeq<ParsedNode>(list) ? list.items.map(({ range }) => lineCounter.linePos(range[0]).line) : [];
    },
  };
}

/** Yields the tokens of a text. Stops if there are too many, or if one is nested too deeply. */
function* parse(source: string, lineCounter: LineCounter, fault: Fault): Generator<CST.Token> {
  const parser = new Parser(lineCounter.addNewLine);
  lineCounter.addNewLine(0);
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(source)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH)
      throw fault(parser.offset, `lists and objects are nested deeper than ${MAX_DEPTH} levels`);
    if (++lexemes > MAX_LEXEMES)
      throw new ProblemError(
        413,
        `The file has more than ${MAX_LEXEMES} names, values and signs, which exceeds the limit for YAML. ` +
          'Send it as JSON or JSON Lines.',
      );
  }
  yield* parser.end();
}

/**
 * Returns the value of a node. This replaces the library's `toJS`, which loses the source text of numbers, searches the
 * whole document for each alias, and compares each key with all others.
 */
function toJson(root: ParsedNode | null, fault: Fault): Json {
  const anchors = new Map<string, { value: Json; size: number }>();
  let size = 0;
  let aliases = 0;

  const count = (values: number): void => {
    size += values;
    if (size > MAX_VALUES)
      throw new ProblemError(400, `The file stands for more than ${MAX_VALUES} values. Write fewer aliases.`);
  };
  const resolve = (alias: Alias.Parsed): Json => {
    const anchor = anchors.get(alias.source);
    if (!anchor) throw fault(alias.range[0], `no anchor "${alias.source}" is defined before this alias`);
    if (++aliases > MAX_ALIASES) throw fault(alias.range[0], `there are more than ${MAX_ALIASES} aliases`);
    count(anchor.size);
    return anchor.value;
  };
  const keyOf = (node: ParsedNode | null): string => {
    const key = convert(node);
    if (Array.isArray(key) || isObject(key)) throw fault(node!.range[0], 'a key must be a string');
    return toText(key);
  };
  const convertMap = (map: YAMLMap.Parsed): JsonObject => {
    const own = new Map<string, Json>();
    const merged = new Map<string, Json>();
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) {
        for (const source of [convert(value)].flat()) {
          if (!isObject(source)) throw fault(key.range[0], '"<<" merges an object, or a list of objects');
          for (const [name, inner] of Object.entries(source)) if (!merged.has(name)) merged.set(name, inner);
        }
        continue;
      }
      const name = keyOf(key);
      if (own.has(name)) throw fault(key.range[0], `the key "${name.slice(0, 80)}" appears twice in the same object`);
      own.set(name, convert(value));
    }
    return Object.fromEntries([...merged, ...own]);
  };
  const convert = (node: ParsedNode | null): Json => {
    if (node === null) return null;
    if (isAlias(node)) return resolve(node as Alias.Parsed);
    const sizeBefore = size;
    count(1);
    const value = isMap(node)
      ? convertMap(node as YAMLMap.Parsed)
      : isSeq<ParsedNode>(node)
        ? node.items.map((item) => convert(item))
        : scalarValue(node as Scalar.Parsed);
    if (node.anchor) anchors.set(node.anchor, { value, size: size - sizeBefore });
    return value;
  };

  const value = convert(root);
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw new ProblemError(400, `The file nests lists and objects deeper than ${MAX_JSON_DEPTH} levels.`);
  return value;
}

const isMergeKey = (key: ParsedNode): boolean => isScalar(key) && key.type === Scalar.PLAIN && key.value === '<<';

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Numbers keep their source if it is valid JSON. `.inf` and `.nan` have no JSON form and stay texts. */
function scalarValue({ value, source }: Scalar.Parsed): Json {
  if (typeof value !== 'number') return value as Json;
  if (JSON_NUMBER.test(source)) return parseJson(source);
  return Number.isFinite(value) ? value : source;
}
