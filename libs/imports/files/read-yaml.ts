import {
  constructFromEvents,
  CORE_SCHEMA,
  defineScalarTag,
  EVENT_ID,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  mergeTag,
  NOT_RESOLVED,
  parseEvents,
  type Event,
  type ScalarTagDefinition,
} from 'js-yaml';
import { isObject, parseJson, type Json } from '#lib/contracts/json/json';
import { ended, ProblemError } from '#lib/contracts/problem';

/** Read in one go, a quarter of a second for each megabyte. */
const LARGEST_YAML = 2 * 2 ** 20;
const tooMuchYaml = (): ProblemError =>
  new ProblemError(413, `YAML is read up to ${LARGEST_YAML / 2 ** 20} MiB. Send more as JSON or JSON Lines.`);
/** What is more is not taken in. */
export const YAML_LIMIT = { size: LARGEST_YAML, refusal: tooMuchYaml };
/** With every alias written out; a few hundred bytes of YAML can stand for billions. */
const MOST_VALUES = 1_000_000;
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Numbers keep their text where JSON could have written them; `.inf` and `.nan` have no JSON and stay texts. */
const keepingSource = (tag: ScalarTagDefinition<number>): ScalarTagDefinition =>
  defineScalarTag<unknown>(tag.tagName, {
    ...tag,
    resolve: (source, isExplicit, tagName) => {
      const value = tag.resolve(source, isExplicit, tagName);
      if (value === NOT_RESOLVED) return NOT_RESOLVED;
      return JSON_NUMBER.test(source) ? parseJson(source) : Number.isFinite(value) ? value : source;
    },
  });
const schema = CORE_SCHEMA.withTags(keepingSource(intCoreTag), keepingSource(floatCoreTag), mergeTag);

export interface ReadYaml {
  value: Json;
  /** The lines on which the entries of a list begin, which stands under a key of the whole. */
  linesOf(key: string): number[];
}

/**
 * YAML 1.2 (JSON is some of it), with numbers as they were written. @throws ProblemError 400 saying where it is
 * wrong
 */
export function readYaml(text: string): ReadYaml {
  if (text.length > LARGEST_YAML) throw tooMuchYaml();
  const source = text.replace(/^\ufeff/, '');
  try {
    const events = parseEvents(source, {});
    const documents = constructFromEvents(events, { source, schema, maxAliases: 10_000 });
    if (documents.length !== 1)
      throw new ProblemError(400, `The file holds ${documents.length} YAML documents instead of one.`);
    return { value: writtenOut(documents[0] as Json), linesOf: (key) => linesOf(key, events, source) };
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const { reason, mark, message } = error as Error & { reason?: string; mark?: { line: number } };
    throw new ProblemError(
      400,
      `The file is not YAML${mark ? ` at line ${mark.line + 1}` : ''}: ${ended(reason ?? message)} ` +
        'Nothing was imported.',
    );
  }
}

function writtenOut(value: Json): Json {
  let count = 0;
  const copy = (one: Json): Json => {
    if (++count > MOST_VALUES)
      throw new ProblemError(400, `The file stands for more than ${MOST_VALUES} values. Write fewer aliases.`);
    if (Array.isArray(one)) return one.map(copy);
    return isObject(one) ? Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, copy(inner)])) : one;
  };
  return copy(value);
}

/** Where the parts of a value begin, by walking over what was read. */
function linesOf(key: string, events: readonly Event[], source: string): number[] {
  const starts: number[] = [];
  let depth = 0; // 1: the document, 2: the mapping that it is, 3: the list under the key.
  let isKey = true;
  let inList = false;
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      depth--;
      if (depth === 2) {
        if (inList) break;
        isKey = true;
      }
      continue;
    }
    const start =
      event.type === EVENT_ID.SCALAR
        ? event.valueStart
        : event.type === EVENT_ID.ALIAS
          ? event.anchorStart
          : event.type === EVENT_ID.DOCUMENT
            ? 0
            : event.start;
    const opens =
      event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.DOCUMENT;
    if (depth === 3 && inList) starts.push(start);
    if (depth === 2) {
      if (isKey) inList = event.type === EVENT_ID.SCALAR && getScalarValue(source, event) === key;
      isKey = opens ? isKey : !isKey;
    }
    if (opens) depth++;
  }
  let [line, at] = [1, 0];
  return starts.map((start) => {
    for (; at < start; at++) if (source[at] === '\n') line++;
    return line;
  });
}
