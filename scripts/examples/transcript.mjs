// Calls Toolmark over HTTP, and records the parts of each request and response that have a named schema in its OpenAPI
// document.

/** A client of Toolmark that records its requests and responses. */
export async function openTranscript(url, token) {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const routes = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      // A path without parameters is more specific than one with them.
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      exact: !path.includes('{'),
      operation,
    })),
  );
  const calls = [];
  const problems = {};

  /** @returns the response. A refusal throws, or becomes an example if its status is `wanted`. */
  async function call(
    method,
    path,
    body,
    { wanted, as = token, ofPage, isShown = true, type = 'application/json' } = {},
  ) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(as && { authorization: `Bearer ${as}` }),
        ...(ofPage && { origin: url }),
        ...(body !== undefined && { 'content-type': type }),
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const { status } = response;
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    const answer = isJson && !response.headers.get('content-type').includes('ndjson') ? JSON.parse(text) : text;
    if (wanted !== undefined && status === wanted) return void (problems[status] = answer);
    if (!response.ok || wanted) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 600)}`);
    const [bare] = path.split('?');
    const fitting = routes.filter((route) => route.method === method && route.pattern.test(bare));
    const { operation } = fitting.find(({ exact }) => exact) ?? fitting[0];
    const content = (holder) => holder?.content?.['application/json']?.schema;
    if (isShown)
      calls.push({
        title: [operation.summary, /\?format=\w+/.exec(path)?.[0]].filter(Boolean).join(', '),
        request: typeof body === 'object' ? { schema: content(operation.requestBody), value: body } : undefined,
        answer: isJson ? { schema: content(operation.responses[status]), value: answer } : undefined,
      });
    return answer;
  }

  return { document, calls, problems, call };
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every value in `value` with a named schema, with the schema's name. */
export function named(schemas, schema, value, found = []) {
  if (!schema || value === undefined) return found;
  const name = schema.$ref?.split('/').at(-1);
  if (name) {
    found.push([name, value]);
    return named(schemas, schemas[name], value, found);
  }
  for (const [inner, part] of parts(schema, value)) named(schemas, inner, part, found);
  return found;
}

/** The direct subschemas of a schema, each with its value. */
export function* parts(schema, value) {
  if (isObject(value)) {
    for (const [key, inner] of Object.entries(schema.properties ?? {}))
      if (value[key] !== undefined) yield [inner, value[key], key];
    if (isObject(schema.additionalProperties))
      for (const [key, part] of Object.entries(value))
        if (!Object.hasOwn(schema.properties ?? {}, key)) yield [schema.additionalProperties, part, '*'];
  }
  if (Array.isArray(value)) {
    const { prefixItems = [], items } = schema;
    for (const [index, part] of value.entries()) {
      const inner = prefixItems[index] ?? items;
      if (isObject(inner)) yield [inner, part, '[]'];
    }
  }
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    yield [inner, value, ''];
}
