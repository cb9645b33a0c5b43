// A provider whose replies take their time and cost little CPU, and which notes when each model was first asked.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const CALL = { name: 'get_weather', arguments: '{"city":"Paris"}' };

/**
 * Replies take `minMs` to `maxMs`, evenly spread. The first `atOnce` are answered after any part of that, as if they
 * had been under way for a while, so that the load is even from the start. Models named `quick...` answer at once.
 * @returns `addHost`, which gives another URL, because a worker has a limited number of connections to each;
 * `firstAskedAt` by model (of `performance.now()`), and how to stop it
 */
export function startProvider({ minMs, maxMs, atOnce }) {
  let asked = 0;
  const firstAskedAt = new Map();
  const latencyMs = () => {
    const ms = minMs + Math.random() * (maxMs - minMs);
    return asked++ < atOnce ? Math.random() * ms : ms;
  };
  const answer = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { model } = JSON.parse(body);
    if (!firstAskedAt.has(model)) firstAskedAt.set(model, performance.now());
    if (!model.startsWith('quick')) await delay(latencyMs());
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 0,
        model,
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'call_1', type: 'function', function: CALL }],
            },
          },
        ],
        usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      }),
    );
  };
  const servers = [];
  const addHost = async () => {
    const server = createServer(answer);
    servers.push(server);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${server.address().port}/v1`;
  };
  const stop = () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  };
  return { addHost, firstAskedAt, stop };
}
