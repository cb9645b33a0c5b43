// The tables of docs/live.md, from the live event schemas.
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
} from '../../dist/libs/contracts/event.js';
import { code, table } from './tables.mjs';

/** All messages that a client sends and receives. */
export const liveTables = () =>
  [
    '## What a client sends',
    sent('subscribe', Subscribe),
    fields('On success, the answer is', Subscribed),
    fields('Otherwise', Refused),
    sent('unsubscribe', Unsubscribe),
    fields('The answer is (on failure as above)', Unsubscribed),
    '## Events',
    fields('Each of them is sent as', Envelope),
    ...Object.entries(LOG_EVENTS).map(described),
    '## Other messages',
    ...Object.entries(LIVE_MESSAGES).map(described),
  ].join('\n\n');

const sent = (name, schema) => fields(`### ${code(name)}`, schema);

const described = ([name, schema]) => fields(`### ${code(name)}\n\n${schema.description}`, schema);

function fields(above, schema) {
  const json = z.toJSONSchema(schema, { io: 'input' });
  const { properties = {}, required = [] } = json.$ref ? json.$defs[nameIn(json.$ref)] : json;
  const long = [];
  const rows = rowsOf({ properties, required }, '', long);
  return [`${above}${above.startsWith('#') ? '' : ':'}`, table(['field', 'type', 'meaning'], rows), ...long].join(
    '\n\n',
  );
}

const nameIn = (ref) => ref.slice(ref.lastIndexOf('/') + 1);

/** @param long collects values too long for a row, to follow the table */
function rowsOf({ properties = {}, required = [] }, path, long) {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const field = `${path}${name}`;
    const type = typeOf(schema);
    const isLong = type.length > MAX_TYPE;
    if (isLong) long.push(`${code(field)} is one of ${type}.`);
    return [
      [
        code(`${field}${required.includes(name) ? '' : '?'}`),
        isLong ? 'string, see below' : type,
        schema.description ?? '',
      ],
      ...inner(schema, field, long),
    ];
  });
}
const MAX_TYPE = 150;

/** The fields of an object, of a nullable object, or of each object in a list. */
function inner(schema, field, long) {
  const { allOf = [], anyOf = [], items, properties } = schema;
  if (properties) return rowsOf(schema, `${field}.`, long);
  return [
    ...[...allOf, ...anyOf].flatMap((one) => inner(one, field, long)),
    ...(items ? inner(items, `${field}[]`, long) : []),
  ];
}

function typeOf({ $ref, allOf, anyOf, enum: values, items, format, type, ...schema }) {
  if ($ref) return code(nameIn($ref));
  if (allOf) return allOf.map(typeOf).join(' and ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((value) => code(JSON.stringify(value))).join(', ');
  if ('const' in schema) return code(JSON.stringify(schema.const));
  if (items) return `list of ${typeOf(items)}`;
  return { uuid: 'UUID', 'date-time': 'ISO 8601, UTC' }[format ?? ''] ?? [type].flat().join(' or ');
}
