// Requests to each operation of an OpenAPI document: well-formed ones, near-misses, and hostile ones.
import fc from 'fast-check';
import { allowedBy, deref, hostileText, hostileValue, nearly, NOTHING, placeholder, toText } from './values.mjs';

/** Who asks, and how often. */
const CALLERS = {
  owner: 30,
  editor: 18,
  viewer: 10,
  limited: 8,
  readsOnly: 3,
  account: 4,
  session: 8,
  operator: 5,
  revoked: 2,
  wrong: 2,
  malformed: 2,
  nobody: 3,
};
/** Those who may do nothing that needs a role. */
const STRANGERS = new Set(['revoked', 'wrong', 'malformed', 'nobody']);

const ROLES = ['viewer', 'editor', 'owner'];
/** The role of each caller; `limited` and `readsOnly` are editors who may do less. */
const ROLE_OF = { viewer: 'viewer', readsOnly: 'viewer', limited: 'editor', editor: 'editor', account: 'editor' };

/** Whether an operation is beyond a caller, whatever is sent. */
export const isBeyond = (caller, { needs, isOpen }) =>
  !isOpen && (STRANGERS.has(caller) || ROLES.indexOf(ROLE_OF[caller] ?? 'owner') < ROLES.indexOf(needs));

/** The operations of a document whose examples have placeholders for ids. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      name: `${method.toUpperCase()} ${path}`,
      parameters: (operation.parameters ?? []).map((parameter) => deref(parameter, document)),
      content: operation.requestBody?.content ?? {},
      statuses: new Set(Object.keys(operation.responses)),
      isOpen: operation.security?.length === 0,
      needs: /role `(\w+)`/.exec(operation.description ?? '')?.[1] ?? 'viewer',
    })),
  );
}

/** Secrets of the examples, whose real ones are made when a team is. */
const EXAMPLE_SECRETS = {
  userCode: /BCDF-GHJK/g,
  deviceCode: /td_\w{20,}/g,
  invitationSecret: /ti_\w{20,}/g,
  ownToken: /tm_\w{20,}/g,
};

/** Puts placeholders for the ids, secrets and addresses of examples: the addresses are not to be reached. */
export function withPlaceholders(document, exampleIds) {
  let text = JSON.stringify(document);
  const examples = [...Object.entries(exampleIds), ...Object.entries(EXAMPLE_SECRETS)];
  for (const [kind, example] of examples) text = text.replaceAll(example, placeholder(kind));
  return JSON.parse(
    text
      .replaceAll(/"https?:\/\/[^"\\ ]*\/mcp"/g, '"«tools»/mcp"')
      .replaceAll(/"https?:\/\/[^"\\ ]*"/g, '"«simulator»/v1"'),
  );
}

/** Left out, unless it is one of so many in a hundred. */
const sometimes = (percent, arbitrary, otherwise = undefined) =>
  fc.oneof({ weight: 100 - percent, arbitrary: fc.constant(otherwise) }, { weight: percent, arbitrary });

const otherIds = fc.oneof(
  fc.constantFrom(NOTHING, '00000000-0000-0000-0000-000000000000', 'null', '..', '%2e%2e', '%ED%A0%80', '%ff', '%zz'),
  hostileText.filter((text) => text.length < 3000),
);
const anothersOf = (text) => text.replace('«own.', '«other.');

function pathOf({ path, parameters }, _document, isOdd) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  if (names.length === 0) return fc.constant({});
  const segment = (name) => {
    const { schema } = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name);
    const example = String(schema?.examples?.[0] ?? schema?.enum?.[0] ?? 'x');
    const right = schema?.enum ? fc.constantFrom(...schema.enum.map(String)) : fc.constant(example);
    return isOdd ? fc.oneof(right, fc.constant(anothersOf(example)), otherIds) : right;
  };
  return fc.record(Object.fromEntries(names.map((name) => [name, segment(name)])));
}

/** What is compared: any id serves as their example. */
const SIDES = { a: '«own.baseline»', b: '«own.run»', runs: '«own.baseline»,«own.run»' };
const textOfQuery = hostileText.filter((text) => text.length < 3000);
function queryOf({ parameters }, document, isOdd) {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const one = ({ name, schema, required }) => {
    const allowed =
      name in SIDES ? fc.oneof(fc.constant(SIDES[name]), allowedBy(schema, document)) : allowedBy(schema, document);
    const odd = fc.oneof(
      allowed,
      allowed.map((text) => (typeof text === 'string' ? anothersOf(text) : text)),
      textOfQuery,
      fc.array(
        hostileText.filter((text) => text.length < 300),
        { maxLength: 4 },
      ),
    );
    const percent = required || name === 'a' || name === 'b' ? 94 : inQuery.length > 4 ? 15 : 40;
    return sometimes(percent, isOdd ? odd : allowed);
  };
  const known = fc.record(Object.fromEntries(inQuery.map((parameter) => [parameter.name, one(parameter)])));
  if (!isOdd) return known;
  const unknown = fc.dictionary(
    hostileText.filter((text) => text.length < 100),
    fc.constantFrom('', '1', 'a\0'),
    {
      maxKeys: 1,
    },
  );
  return fc.tuple(known, sometimes(10, unknown, {})).map(([those, more]) => ({ ...more, ...those }));
}

const TYPES = [
  'application/json; charset=utf-16',
  'application/json;;;',
  'text/plain',
  'text/csv',
  'application/yaml',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  '*/*',
  'x',
];
const FILES = [
  '',
  '\ufeff{"a":1}\n',
  '{"prompt": "a"}\n{"prompt": "b", \n',
  'prompt,expected_tool\n"a,b\n',
  'prompt,prompt\na,b\n',
  'a: &a [*a, *a]\n',
  `a: &a [${'x,'.repeat(9)}]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]\n`,
  '? [a, b]\n: !!js/function "function(){}"\n',
  '{"result_id": "0-0-0", "label": "correct"}\n{"result_id": "0-0-0", "label": "wrong"}\n',
  '\u0000\u0001\u0002',
  `${'a,'.repeat(20_000)}\n`,
  `${'{"case":"x","reply":"y"}\n'.repeat(3000)}`,
];

function bodyOf({ content }, document, isOdd) {
  const types = Object.keys(content);
  const json = content['application/json'];
  const none = fc.constant(undefined);
  const hostile = fc.record({ type: fc.constant('application/json'), value: hostileValue });
  const file = fc.record({
    type: fc.constantFrom(...(types.length ? types : ['application/json']), ...TYPES),
    text: fc.oneof(fc.constantFrom(...FILES), hostileText),
  });
  if (!json) return isOdd ? fc.oneof({ weight: 4, arbitrary: none }, { weight: 1, arbitrary: hostile }, file) : none;
  const examples = Object.values(json.examples ?? {}).map((example) => deref(example, document).value);
  const allowed = fc.oneof(
    ...(examples.length ? [{ weight: isOdd ? 2 : 4, arbitrary: fc.constantFrom(...examples) }] : []),
    { weight: 2, arbitrary: allowedBy(json.schema, document) },
  );
  const typed = (value) => fc.record({ type: fc.constant('application/json'), value });
  if (!isOdd) return typed(allowed);
  return fc.oneof(
    { weight: 10, arbitrary: typed(nearly(allowed)) },
    { weight: 2, arbitrary: hostile },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom(...TYPES), value: allowed }) },
    { weight: types.length > 1 ? 6 : 1, arbitrary: file },
    { weight: 1, arbitrary: none },
  );
}

/** What a header may hold. */
const headerText = hostileText.map((text) => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 6000));
const ODD_HEADERS = {
  'idempotency-key': fc.oneof(fc.constantFrom('a', 'b', 'c', '', 'x'.repeat(201)), headerText),
  'if-match': fc.oneof(fc.constantFrom('*', '"1"', 'W/"1"', '1', '"999999999999999999999"'), headerText),
  'if-none-match': fc.constantFrom('*', '"x"'),
  range: fc.constantFrom('bytes=0-0', 'bytes=-1', 'bytes=9-1', 'bytes=0-,0-,0-,0-', 'items=0-9'),
  accept: fc.constantFrom('text/html', 'application/xml', '*/*;q=0', 'x'),
  'accept-encoding': fc.constantFrom('gzip', 'br;q=9', 'identity;q=0'),
  'content-encoding': fc.constantFrom('gzip', 'zstd', 'deflate, gzip', 'x'),
  'toolmark-team': fc.constantFrom(placeholder('team', 'other'), placeholder('team'), NOTHING, 'x'),
  'x-forwarded-for': fc.constantFrom('127.0.0.1', '::1, 10.0.0.1', 'x'.repeat(3000), "';--"),
  'x-forwarded-host': fc.constantFrom('evil.example', '[', 'a\tb', 'x'.repeat(3000)),
  'x-forwarded-proto': fc.constantFrom('https', 'javascript'),
  'x-request-id': headerText,
  'x-http-method-override': fc.constantFrom('DELETE', 'GET'),
  cookie: fc.oneof(fc.constantFrom('toolmark_session=x', 'toolmark_session=a; toolmark_session=b', '=;=;'), headerText),
  origin: fc.constantFrom('null', 'http://evil.example', 'x'),
  'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin', 'x'),
  host: fc.constantFrom('evil.example', '127.0.0.1:x', ''),
  expect: fc.constant('100-continue'),
  'user-agent': headerText,
  traceparent: headerText,
};
const oddHeaders = fc.record(
  Object.fromEntries(
    Object.entries(ODD_HEADERS).map(([name, value]) => [name, sometimes(name === 'idempotency-key' ? 30 : 8, value)]),
  ),
);

const callers = fc.oneof(
  ...Object.entries(CALLERS).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) })),
);
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'POST', 'GET'];

/** What is odd about a request: most have one oddity, because the first one that is seen hides the others. */
const ODDITIES = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  { weight: 10, arbitrary: fc.constantFrom(...['path', 'query', 'headers', 'caller'].map((one) => [one])) },
  { weight: 8, arbitrary: fc.constant(['body']) },
  { weight: 2, arbitrary: fc.constantFrom(['method'], ['sent'], ['times'], ['times']) },
  { weight: 3, arbitrary: fc.subarray(['path', 'query', 'body', 'headers', 'caller', 'method']) },
);

/**
 * A request as data: `{caller, method, path, query, headers, body, sent, times}`, with placeholders. It is the same for
 * the same seed. `sent` is the part of the body that is sent before the connection is cut, `times` how often it is sent
 * at once.
 */
export function requestOf(operation, document) {
  const { method } = operation;
  const both = (make) => [false, true].map((isOdd) => make(operation, document, isOdd));
  const [path, query, body] = [both(pathOf), both(queryOf), both(bodyOf)];
  return ODDITIES.chain((odd) => {
    const of = ([usual, hostile], what) => (odd.includes(what) ? hostile : usual);
    return fc.record({
      caller: of([fc.constantFrom('owner', 'owner', 'editor', 'session', 'operator'), callers], 'caller'),
      method: of([fc.constant(method), fc.constantFrom(...METHODS)], 'method'),
      path: of(path, 'path'),
      query: of(query, 'query'),
      headers: of([fc.constant(operation.isOpen ? OWN_PAGE : {}), oddHeaders], 'headers'),
      body: of(body, 'body'),
      sent: of([fc.constant(1), fc.constantFrom(0, 0.5)], 'sent'),
      times: of([fc.constant(1), fc.constantFrom(2, 8)], 'times'),
    });
  });
}

/** Bytes in a URL; what is encoded already stays. A lone surrogate has bytes, too. */
const encoded = (text) =>
  /^%[\w%]+$|^\.\.$/.test(text)
    ? text
    : [...Buffer.from(text)]
        .map((byte) =>
          /[\w.~-]/.test(String.fromCharCode(byte))
            ? String.fromCharCode(byte)
            : `%${byte.toString(16).padStart(2, '0')}`,
        )
        .join('');

/** The request with what its placeholders stand for. @param fill `(kind, whose) => text` */
export function concrete(operation, { caller, method, path, query, headers, body, sent, times }, fill) {
  const filled = (text) =>
    String(text)
      .replaceAll(/«(own|other)\.(\w+)»/g, (_, whose, kind) => fill(kind, whose))
      .replaceAll(/«(nothing|simulator|tools)»/g, (_, kind) => fill(kind));
  const place = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encoded(filled(path[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map(
      (one) => `${encoded(name)}=${encoded(filled(typeof one === 'object' ? toText(one) : one))}`,
    ),
  );
  const text = body && filled('text' in body ? body.text : toText(body.value));
  return {
    caller,
    method,
    path: pairs.length ? `${place}?${pairs.join('&')}` : place,
    headers: {
      ...(body && { 'content-type': body.type }),
      ...Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, filled(value)]])),
      ),
    },
    body: text,
    sent: text === undefined ? 1 : sent,
    times,
  };
}
