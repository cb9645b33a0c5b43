import type { Found } from './find-values.js';
import { memoizeBounded } from './memoize.js';
import { meanings, stem } from './words.js';
import type { JsonSchema } from '../formats/chat-completions.js';

/** The sources of argument values. Values in `used` are not reused. */
export interface Source {
  prompt: string;
  found: Found[];
  used: Set<Found>;
  /** Tool results in the conversation, newest first. */
  results: unknown[];
  /** Required arguments without a value in the prompt: a sign that another tool, or none, is meant. */
  guessed: number;
}

/** Symbols and short forms of enum values. */
const ALIASES: Record<string, RegExp> = {
  celsius: /°c\b|\bcentigrade\b|\d ?c\b/i,
  fahrenheit: /°f\b|\d ?f\b/i,
  metric: /\bcelsius\b|\bkm\b|°c\b/i,
  imperial: /\bfahrenheit\b|\bmiles\b|°f\b/i,
  high: /\burgent(ly)?\b|\bimportant\b|\basap\b/i,
  urgent: /\basap\b|\bimmediately\b/i,
  daily: /\bevery (day|morning|evening)\b/i,
  weekly: /\bevery (week|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i,
  monthly: /\bevery month\b/i,
  unread: /\bnot read\b|\bnew (mail|message)/i,
  view: /\bread-only\b|\bread only\b/i,
  edit: /\bediting\b|\bwrite access\b|\bmake changes\b/i,
  damaged: /\bbroken\b|\bcracked\b|\bbroke\b/i,
  wrong_item: /\bwrong (one|item|size|colou?r|product)\b/i,
};

type Sense = { named: RegExp; find: (source: Source, key: string) => unknown };

/** How the value of a string argument is found, by its key. The first match wins. */
const SENSES: Sense[] = [
  { named: /(^|_)(id|number|reference|code|sku)$/, find: (s) => take(s, 'id', () => true) },
  { named: /e?mail|^to$|^cc$|recipient|attendee|address|guest|with/, find: (s, key) => take(s, 'email', near(key)) },
  { named: /url|link/, find: (s) => take(s, 'url', () => true) },
  { named: /file|path|attachment|document/, find: (s, key) => take(s, 'file', near(key)) },
  {
    named: /folder|directory/,
    find: (s, key) => take(s, 'file', (f) => f.text.startsWith('/')) ?? take(s, 'name', near(key)),
  },
  { named: /date|day|^on$|when|since|until|before|after|due/, find: (s, key) => take(s, 'date', near(key)) },
  { named: /time|hour/, find: (s, key) => take(s, 'time', near(key)) },
  {
    named: /^(title|subject|name|summary|label|list_name|new_name|event|what)$|_title$|_name$/,
    find: (s, key) => quotedFor(s, key) ?? after(s, TITLE_CUES) ?? take(s, 'file', near(key)),
  },
  {
    named: /body|message|content|text|note|comment|description|reason/,
    find: (s, key) => after(s, BODY_CUES) ?? quotedFor(s, key) ?? after(s, TOPIC_CUES),
  },
  {
    named: /city|location|place|region|country|origin|destination|where|from|to|room|store/,
    find: (s, key) => take(s, 'name', near(key)),
  },
  {
    named: /person|who|contact|customer|owner|sender|author|user|name|^to$|recipient|with/,
    find: (s, key) => take(s, 'name', near(key)),
  },
  {
    named: /query|topic|search|keyword|term|question|task|item|product|about/,
    find: (s, key) => quotedFor(s, key) ?? after(s, TOPIC_CUES) ?? take(s, 'name', near(key)),
  },
  { named: /title|subject/, find: (s) => after(s, TOPIC_CUES) },
];
const TITLE_CUES = /\b(?:called|titled|named|entitled|with the (?:title|subject)|subject)\s+/i;
const BODY_CUES = new RegExp(
  '\\b(?:saying|says|that says|say|with the (?:message|text)|that it|' +
    'telling (?:him|her|them)(?: that)?|because)\\s+|:\\s+',
  'i',
);
const TOPIC_CUES =
  /\b(?:about|regarding|for|mentioning|containing|named|matching|to|on|with)\s+(?:the |a |an |my |any |me )?/i;

/** Which preceding words point to which argument. */
const POINTERS: [RegExp, RegExp][] = [
  [/from|origin|source|start|since|after|sender|author/, /\b(from|after|since|by|between|of)$/],
  [/^to$|destination|target|end|until|before|recipient/, /\b(to|until|till|before|and|into|through)( the)?$/],
  [/cc/, /\bcc(ing)?$/],
  [/city|location|place|where/, /\b(in|for|at|near|around|of)$/],
  [/with|attendee|guest|person|participant/, /\b(with|invite|invit\w+|add|and)$/],
  [/new/, /\b(to|as)$/],
];

const sensesOf = memoizeBounded((key: string): Sense[] => SENSES.filter(({ named }) => named.test(key)));

const near = memoizeBounded((key: string): ((found: Found) => boolean) => {
  const pointer = POINTERS.find(([keys]) => keys.test(key));
  return (found) =>
    pointer ? pointer[1].test(found.before) : meanings(key).some((word) => meanings(found.before).includes(word));
});

/** The first unused value of a kind that the surrounding words point to, or else the first unused one. */
function take(source: Source, kind: Found['kind'], pointed: (found: Found) => boolean): string | number | undefined {
  const open = source.found.filter((found) => found.kind === kind && !source.used.has(found));
  const found = open.find(pointed) ?? open.find((other) => !/\bcc(ing)?$/.test(other.before));
  if (found) source.used.add(found);
  return found?.value;
}

function quotedFor(source: Source, key: string): unknown {
  return take(source, 'quoted', (found) => meanings(key).some((word) => meanings(found.before).includes(word)));
}

/** The words after a cue, up to the next clause. */
function after(source: Source, cue: RegExp): string | undefined {
  const match = cue.exec(source.prompt);
  if (!match) return undefined;
  const rest = source.prompt.slice(match.index + match[0].length);
  const quoted = /^["“]([^"”]+)["”]/.exec(rest);
  if (quoted) return quoted[1];
  const value = rest
    .split(/[.?!](?:\s|$)|,\s| (?:to|from|with|on|at|in|by|for|and|tomorrow|today|next|this)\b(?! it)/i)[0]!
    .replace(/^["“']|["”']$/g, '')
    .trim();
  return value === '' ? undefined : value;
}

/**
 * Fills a tool's arguments from the prompt. A required argument gets a value of its type whenever one can be guessed,
 * an optional one only when the prompt mentions it.
 */
export function fillArguments(schema: JsonSchema | undefined, source: Source): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(schema?.properties ?? {})) {
    const value = fillValue(key, property, source, schema?.required?.includes(key) ?? false);
    if (value !== undefined) filled[key] = value;
  }
  return filled;
}

function fillValue(key: string, schema: JsonSchema, source: Source, required: boolean): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum)
    return mentioned(schema.enum, source.prompt) ?? (required ? (schema.default ?? schema.enum[0]) : undefined);
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== 'null') : schema.type;
  if (type === 'object') {
    const inner = fillArguments(schema, source);
    return required || Object.keys(inner).length > 0 ? inner : undefined;
  }
  if (type === 'boolean') return fillBoolean(key, schema, source, required);
  const known = fromResults(key, source.results);
  if (known !== undefined) return known;
  if (type === 'array') return fillArray(key, schema, source, required);
  if (type === 'number' || type === 'integer') return fillNumber(key, schema, source, required);
  const value = fillString(key, schema, source, required);
  return typeof value === 'number' ? String(value) : value;
}

function fillString(key: string, schema: JsonSchema, source: Source, required: boolean): unknown {
  const lower = key.toLowerCase();
  const announced = announcedBy(lower, source);
  if (announced !== undefined) return announced;
  // Keys such as "to" and "name" fit many prompts. Optional ones are filled only when something points to them.
  for (const sense of sensesOf(lower)) {
    if (!required && !spokenOf(lower, schema, source)) continue;
    const value = sense.find(source, lower);
    if (value !== undefined) return value;
  }
  if (!required) return undefined;
  if (schema.default !== undefined) return schema.default;
  const value = take(source, 'quoted', () => true) ?? take(source, 'name', () => true);
  // An id cannot be guessed.
  if (/(^|_)(id|number|code|sku|path|email)$/.test(lower)) source.guessed += 2;
  else if (value === undefined) source.guessed++;
  return value ?? after(source, TOPIC_CUES) ?? source.prompt;
}

/** The value right after the key's word: "postcode 20095", "the city Berlin". */
function announcedBy(key: string, source: Source): string | number | undefined {
  const word = meanings(key).at(-1);
  const found = source.found.find(
    (value) => !source.used.has(value) && meanings(value.before.split(' ').at(-1) ?? '')[0] === word,
  );
  if (word === undefined || !found || /date|time/.test(key)) return undefined;
  source.used.add(found);
  return found.kind === 'number' ? found.text : found.value;
}

/** Whether the prompt hints at an optional argument. */
function spokenOf(key: string, schema: JsonSchema, source: Source): boolean {
  const open = (kind: Found['kind']) => source.found.some((found) => found.kind === kind && !source.used.has(found));
  if (/date|day|since|until|due/.test(key))
    return source.found.some(
      (found) => found.kind === 'date' && !source.used.has(found) && /^\d/.test(String(found.value)),
    );
  if (/query|topic|keyword/.test(key) && (open('quoted') || /\babout\b/i.test(source.prompt))) return true;
  if (/time|hour/.test(key) && open('time')) return true;
  if (
    /e?mail|^cc$|attendee|recipient/.test(key) &&
    source.found.some((f) => f.kind === 'email' && near(key)(f) && !source.used.has(f))
  )
    return true;
  if (
    /city|location|place|room|from|sender|person|folder/.test(key) &&
    source.found.some((f) => f.kind === 'name' && near(key)(f) && !source.used.has(f))
  )
    return true;
  const asked = meanings(source.prompt);
  return (
    meanings(key).some((word) => asked.includes(word)) ||
    (/reason|body|note|message/.test(key) && BODY_CUES.test(source.prompt))
  );
}

/** The enum value that the prompt names or implies by a symbol or short form. */
function mentioned(values: unknown[], prompt: string): unknown {
  return (
    values.find((value) => namedBy(value).test(prompt)) ??
    values.find((value) => ALIASES[String(value).toLowerCase()]?.test(prompt)) ??
    values.find(
      (value) =>
        meanings(plain(value)).length > 0 && meanings(plain(value)).every((word) => meanings(prompt).includes(word)),
    )
  );
}
const plain = memoizeBounded((value: unknown) => String(value).toLowerCase().replace(/[_-]/g, ' '));
const namedBy = memoizeBounded((value: unknown) => new RegExp(`(^|\\W)${escape(plain(value))}(e?s)?(\\W|$)`, 'i'));

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function fillBoolean(key: string, schema: JsonSchema, source: Source, required: boolean): boolean | undefined {
  const keyWords = (key.toLowerCase().match(/[a-z]+/g) ?? [])
    .filter((word) => !/^(is|only|enable|include)$/.test(word))
    .map(stem);
  const asked = source.prompt.toLowerCase().match(/[\p{L}']+/gu) ?? [];
  const stems = asked.map(stem);
  if (!keyWords.every((word) => stems.includes(word))) return required ? schema.default === true : undefined;
  const at = stems.indexOf(keyWords[0]!);
  return !asked.slice(Math.max(0, at - 3), at).some((word) => /^(not|no|without|don't|never)$/.test(word));
}

function fillNumber(key: string, schema: JsonSchema, source: Source, required: boolean): number | undefined {
  const lower = key.toLowerCase();
  if (/minute|duration|length/.test(lower)) {
    const duration = take(source, 'duration', () => true);
    if (duration !== undefined) return Number(duration);
  }
  const weeks = /day/.test(lower) ? /\b(two |2 )?weeks?\b|\bfortnight\b/i.exec(source.prompt) : null;
  const open = source.found.filter((found) => found.kind === 'number' && !source.used.has(found));
  if (weeks && !open.some((number) => number.after.startsWith('day')))
    return weeks[1] || /fort/i.test(weeks[0]) ? 14 : 7;
  const words = meanings(`${key} ${schema.description ?? ''}`);
  const found =
    open.find((number) =>
      meanings(key).some((word) => [stem(number.after), ...meanings(number.before)].includes(word)),
    ) ??
    open.find(
      (number) => words.includes(stem(number.after)) || meanings(number.before).some((word) => words.includes(word)),
    ) ??
    open.find(
      (number) =>
        /limit|count|max|top|quantity|amount|value|price|number|percent/.test(lower) &&
        (required || /top|last|first|latest|next|under|over|most|only/.test(number.before)),
    ) ??
    (required ? open[0] : undefined);
  if (found) {
    source.used.add(found);
    return Number(found.value);
  }
  if (!required) return undefined;
  if (typeof schema.default === 'number') return schema.default;
  source.guessed++;
  return 1;
}

function fillArray(key: string, schema: JsonSchema, source: Source, required: boolean): unknown[] | undefined {
  const items = schema.items ?? { type: 'string' };
  const values: unknown[] = [];
  if (items.enum) {
    values.push(...items.enum.filter((value) => mentioned([value], source.prompt) !== undefined));
  } else if (items.type === 'object') {
    const item = fillArguments(items, source);
    if (Object.keys(item).length > 0) values.push(item);
  } else {
    const lower = key.toLowerCase();
    const open = source.found.filter(
      (found) => !source.used.has(found) && (lower === 'cc') === /\bcc(ing)?$/.test(found.before),
    );
    const kind = (['email', 'file', 'id', 'name', 'quoted'] as const).find(
      (name) => WANTED[name].test(lower) && open.some((found) => found.kind === name),
    );
    for (const found of open.filter((value) => value.kind === kind)) {
      source.used.add(found);
      values.push(found.value);
    }
    if (required && values.length === 0) source.guessed++;
  }
  return values.length > 0 || required ? values : undefined;
}
const WANTED = {
  email: /mail|to|cc|attendee|guest|recipient|invite/,
  file: /file|path|attachment/,
  id: /id|order|number/,
  name: /cit|place|location|person|people|attendee|guest|name|recipient|to|with|invite/,
  quoted: /tag|label|item|name/,
};

/** A value that a tool returned under the same key, or as the `id` of the object that the key names (`flight_id`). */
function fromResults(key: string, results: unknown[]): unknown {
  for (const result of results) {
    const value = valueUnder(result, key) ?? (/_id$/.test(key) ? valueUnder(result, 'id') : undefined);
    if (value !== undefined && typeof value !== 'object') return value;
  }
  return undefined;
}

function valueUnder(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && key in value) return (value as Record<string, unknown>)[key];
  for (const inner of Object.values(value)) {
    const found = valueUnder(inner, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The required arguments of a schema, each with the simplest value of its type. Constant work, for benchmarks. */
export function minimalArguments(schema: JsonSchema | undefined): Record<string, unknown> {
  return Object.fromEntries(
    (schema?.required ?? []).map((key) => [key, minimalValue(schema?.properties?.[key] ?? {})]),
  );
}

function minimalValue(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object') return minimalArguments(schema);
  if (type === 'array') return [];
  if (type === 'number' || type === 'integer') return 0;
  if (type === 'boolean') return false;
  return type === 'null' ? null : 'x';
}
