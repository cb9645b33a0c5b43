// A provider whose models each respond in a harmful way. GET /asked returns the number of requests for each.
//   node bench/hostile/provider.mjs   (PORT)
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const call = (args, name = 'get_weather') => ({
  id: 'call_1',
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});
const completion = (message, usage = { prompt_tokens: 7, completion_tokens: 3 }) =>
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: message.tool_calls ? 'tool_calls' : 'stop',
        message: { role: 'assistant', content: null, ...message },
      },
    ],
    usage,
  });
const keys = (n) => `{${Array.from({ length: n }, (_, index) => `"key${index}":1`).join(',')}}`;
const plain = completion({ tool_calls: [call({ city: 'Paris' })] });
/** Keeps every letter too rare for difflib to ignore it. */
const letters = (length, step) =>
  Array.from({ length }, (_, n) => String.fromCharCode(0x100 + ((n * step + ((n * n) % 97)) % 150))).join('');
const error = (status, message, headers) => ({ status, headers, body: JSON.stringify({ error: { message } }) });

/** Refuses the settings of a request one after another, and then every request. */
const refuseInTurn = (text) => {
  const setting = SETTINGS.find((name) => text.includes(`"${name}":`));
  return error(422, setting ? `'${setting}' is not supported by this model` : 'Not like this.');
};
const SETTINGS = ['temperature', 'max_tokens', 'max_completion_tokens', 'top_p', 'seed', 'tool_choice'];

/** The response of each model, built on first use. `latencyMs` is the latency of the whole response. */
const MODELS = {
  'sixty-thousand-calls': () => ({
    body: completion({ tool_calls: Array.from({ length: 60_000 }, () => call({ city: 'Paris' })) }),
  }),
  'megabytes-of-text': () => ({
    body: completion({ content: '"name" is what this reply is about. '.repeat(Math.ceil((14.3 * 2 ** 20) / 36)) }),
  }),
  'megabytes-of-braces': () => ({ body: completion({ content: `"name" ${'{'.repeat(1.5 * 2 ** 20)}` }) }),
  'two-long-strings': () => ({ body: completion({ tool_calls: [call({ city: letters(60_000, 7) })] }) }),
  'thousands-of-objects': () => ({
    body: completion({
      tool_calls: [call({ city: 'Paris', places: Array.from({ length: 8000 }, (_, n) => ({ n, of: { n } })) })],
    }),
  }),
  'thousands-of-repetitions': () => ({ body: completion({ tool_calls: [call({ city: 'a'.repeat(20_000) })] }) }),
  'zero-in-error': () => error(400, 'no\0good \ud800'),
  'zero-in-reply': () => ({
    body: completion({ content: 'a\0b\ud800', tool_calls: [call({ 'ci\0ty': 'Pa\0ris\ud800' })] }),
  }),
  'huge-counts': () => ({
    body: JSON.stringify({
      id: 'x',
      type: 'message',
      role: 'assistant',
      model: 'huge-counts',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Sunny.' }],
      usage: { input_tokens: 2147483647, cache_creation_input_tokens: 2147483647, output_tokens: 2147483647 },
    }),
  }),
  'megabytes-of-numbers': () => ({ body: plain.replace('{', `{"x":[${'1e0,'.repeat(15 * 2 ** 18)}1],`) }),
  'megabytes-of-keys': () => ({ body: plain.replace('{', `{"x":${keys(9e5)},`) }),
  'megabytes-of-arguments': () => {
    const args = `{"city":[${'1e0,'.repeat(15 * 2 ** 18)}1]}`;
    return { body: completion({ tool_calls: [{ ...call({}), function: { name: 'get_weather', arguments: args } }] }) };
  },
  'hundred-calls': () => ({
    body: completion({
      tool_calls: Array.from({ length: 100 }, (_, n) => ({ ...call({ city: 'Paris' }), id: `call_${n}` })),
    }),
  }),
  'hundred-thousand-calls': () => ({
    body: completion({ tool_calls: Array.from({ length: 100_000 }, () => call({ city: 'Paris' })) }),
  }),
  'megabytes-of-error': () => ({
    status: 400,
    body: `{"error":{"message":"no","x":[${'1e0,'.repeat(15 * 2 ** 18)}1]}}`,
  }),
  'waits-for-ages': () => error(429, 'later', { 'retry-after-ms': '100000000000000000000' }),
  'waits-for-ever': () => error(429, 'later'),
  'large-rounds': () => ({
    body: completion({ content: 'x'.repeat(900_000), tool_calls: [call({ city: 'x'.repeat(30_000) })] }),
    latencyMs: 50,
  }),
  redirects: () => ({ status: 307, headers: { location: '/v1/chat/completions' }, body: '' }),
  'slow-to-answer': () => ({ body: plain, latencyMs: 2000 }),
  'hangs-up': () => ({ body: plain, cut: true }),
  trickles: () => ({ body: plain, trickle: true }),
};
/** Avoids encoding a large text for each response. */
const inBytes = ({ body, ...more }) => ({ ...more, body: body.length > 2 ** 20 ? Buffer.from(body) : body });
const made = new Map();
const answerOf = (model, text) => {
  if (model === 'refuses-in-turn') return refuseInTurn(text);
  if (!made.has(model)) made.set(model, inBytes(Object.hasOwn(MODELS, model) ? MODELS[model]() : { body: plain }));
  return made.get(model);
};

/** Model lists of fifteen megabytes. */
const LISTS = {
  numbers: () => `{"data":[{"id":"a"}],"x":[${'1e0,'.repeat(15 * 2 ** 18)}1]}`,
  keys: () => `{"data":[{"id":"a"}],"x":${keys(9e5)}}`,
  models: () => `{"data":[${Array.from({ length: 5e5 }, (_, n) => `{"id":"model-${n}"}`).join(',')}]}`,
};
/** Tool lists of MCP servers, as JSON. */
const aTool = (n, more = '') => `{"name":"tool_${n}","inputSchema":{"type":"object"${more}}}`;
const TOOLS = {
  pages: () => aTool(0, `,"x":"${'x'.repeat(15 * 2 ** 20)}"`),
  objects: () => aTool(0, `,"x":[${'{"a":1},'.repeat(1.8e6)}1]`),
  headers: () => {
    const properties = Array.from({ length: 2e5 }, (_, n) => `"p${n}":{"type":"string","x-mcp-header":"h${n}"}`);
    return aTool(0, `,"properties":{${properties.join(',')}}`);
  },
  tools: () => Array.from({ length: 4900 }, (_, n) => aTool(n)).join(','),
};
const texts = new Map();
const textOf = (name) => {
  if (!texts.has(name)) texts.set(name, Buffer.from((LISTS[name] ?? TOOLS[name])()));
  return texts.get(name);
};

/** An MCP server that lists a page of these tools, and always claims that there is a next page. */
function serveMcp(kind, message, response) {
  if (message === undefined) return response.writeHead(405).end();
  const { id, method, params } = message;
  if (id === undefined) return response.writeHead(202).end();
  const answer = (result) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","id":${id},${result}}`);
  if (method === 'initialize')
    return answer(
      `"result":{"protocolVersion":${JSON.stringify(params.protocolVersion)},"capabilities":{"tools":{}},` +
        `"serverInfo":{"name":"${kind}","version":"1"}}`,
    );
  if (method !== 'tools/list') return answer('"error":{"code":-32601,"message":"Method not found"}');
  if (kind === 'events') return sendEvents(response);
  const cursor = Number(params?.cursor ?? 0) + 1;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(`{"jsonrpc":"2.0","id":${id},"result":{"nextCursor":"${cursor}","tools":[`);
  response.write(textOf(kind));
  response.end(']}}');
}

/** Meaningless events, as fast as they are read. */
async function sendEvents(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const some = 'event: message\ndata: {}\n\n'.repeat(1000);
  while (!response.destroyed)
    if (!response.write(some)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
}

const asked = {};
const server = createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end('ok');
  if (request.url === '/asked') return response.end(JSON.stringify(asked));
  let text = '';
  request.setEncoding('utf8').on('data', (piece) => (text += piece));
  await new Promise((resolve) => request.once('close', resolve).once('end', resolve));
  const [, server, kind] = /^\/(mcp|lists)\/(\w+)/.exec(request.url) ?? [];
  if (server === 'mcp') return serveMcp(kind, text ? JSON.parse(text) : undefined, response);
  if (server === 'lists' && request.url.endsWith('/models'))
    return response.writeHead(200, { 'content-type': 'application/json' }).end(textOf(kind));
  const model = /"model":"([^"]*)"/.exec(text)?.[1] ?? '';
  asked[model] = (asked[model] ?? 0) + 1;
  if (request.url.endsWith('/embeddings')) return; // never answered
  const { status = 200, headers, body, latencyMs, cut, trickle } = answerOf(model, text);
  if (latencyMs) await delay(latencyMs);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (cut) return response.write(body.slice(0, 40), () => response.destroy());
  if (!trickle) return response.end(body);
  for (const letter of body) {
    if (response.destroyed) return;
    response.write(letter);
    await delay(100);
  }
  response.end();
});
server.on('clientError', (_, socket) => socket.destroy());
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
