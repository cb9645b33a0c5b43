import { z } from 'zod';
import {
  Envelope,
  LIVE_MESSAGES,
  LOG_EVENTS,
  Refused,
  Subscribe,
  Subscribed,
  Unsubscribe,
  Unsubscribed,
} from '../event.js';

const [BEGIN, END] = ['<!-- Made of libs/contracts/event.ts by npm run docs:live. -->\n', '<!-- End. -->\n'];

/** Renders the page about live results: replaces its tables with those generated from the schemas. */
export function renderLivePage(page: string): string {
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  return page.slice(0, from) + tables() + page.slice(to);
}

const tables = (): string =>
  [
    '## What a client sends',
    sent('subscribe', Subscribe),
    table('If it can be done, the answer is', Subscribed),
    table('If not', Refused),
    sent('unsubscribe', Unsubscribe),
    table('The answer is, or as above if it cannot be done', Unsubscribed),
    '## Events',
    table('Each of them is sent as', Envelope),
    ...Object.entries(LOG_EVENTS).map(described),
    '## Messages beside the events',
    ...Object.entries(LIVE_MESSAGES).map(described),
    '',
  ].join('\n\n');

function sent(name: string, schema: z.ZodType): string {
  return table(`### \`${name}\``, schema);
}

function described([name, schema]: [string, z.ZodType]): string {
  return table(`### \`${name}\`\n\n${schema.description}`, schema);
}

function table(above: string, schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'input' });
  const rows = rowsOf(json.$ref ? json.$defs![nameIn(json.$ref)]! : json, '');
  return [
    `${above}${above.startsWith('#') ? '' : ':'}`,
    ['| field | type | |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Parts = JsonSchema & { allOf?: JsonSchema[]; anyOf?: JsonSchema[]; items?: JsonSchema };

function rowsOf({ properties = {}, required = [] }: JsonSchema, path: string): string[] {
  return Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, schema]) => {
    const field = `${path}${name}`;
    return [
      `| \`${field}${required.includes(name) ? '' : '?'}\` | ${typeOf(schema)} | ${schema.description ?? ''} |`,
      ...inner(schema, field),
    ];
  });
}

/** The fields of an object, of a nullable object, or of each object in a list. */
function inner(schema: JsonSchema, field: string): string[] {
  const { allOf = [], anyOf = [], items, properties } = schema as Parts;
  if (properties) return rowsOf(schema, `${field}.`);
  return [...[...allOf, ...anyOf].flatMap((one) => inner(one, field)), ...(items ? inner(items, `${field}[]`) : [])];
}

function typeOf(schema: JsonSchema): string {
  const { $ref, allOf, anyOf, enum: values, items } = schema as Parts;
  if ($ref) return `\`${nameIn($ref)}\``;
  if (allOf) return allOf.map(typeOf).join(' and ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (items) return `list of ${typeOf(items)}`;
  return { uuid: 'UUID', 'date-time': 'ISO 8601, UTC' }[schema.format ?? ''] ?? [schema.type].flat().join(' or ');
}
