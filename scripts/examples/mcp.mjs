// A small MCP server, and a suite from its tools.
import { createServer } from 'node:http';

const headers = { Authorization: 'Bearer a-token-of-the-server' };
const tool = (properties, more = {}) => ({
  name: 'get_weather',
  title: 'Weather',
  description: 'Get current weather for a city',
  inputSchema: { type: 'object', properties, required: ['city'] },
  annotations: { readOnlyHint: true },
  ...more,
});
const city = { city: { type: 'string' } };
const odd = { name: 'no schema', description: 'A tool that no model could call', inputSchema: 'none' };

export async function playMcp({ call, hosts }) {
  let tools = [tool(city), tool(city, { name: 'get_news', title: 'News' }), odd];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part)).on('end', () => reply(response, request.method, text, tools));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  hosts[origin] = 'https://mcp.example.com';
  const from = { url: `${origin}/mcp`, headers, transport: 'auto' };
  try {
    await call('POST', '/api/mcp/discover', from);
    const { suite_id: suite } = await call('POST', '/api/mcp/import', {
      ...from,
      tool_names: ['get_weather', 'get_news'],
      suite_name: 'Weather tools',
      use_instructions: true,
      generate_cases: true,
    });
    await call('POST', '/api/mcp/import', { tools: [tool(city)], suite_name: 'Tools that were discovered before' });
    tools = [
      tool({ ...city, units: { type: 'string' } }, { description: 'Tells the weather in a city' }),
      tool(city, { name: 'get_forecast', title: 'Forecast' }),
      odd,
    ];
    await call('POST', `/api/tool-suites/${suite}/mcp-sync`, from);
    await call('POST', `/api/tool-suites/${suite}/mcp-sync?apply=true&keep_removed=true`, from);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function reply(response, method, text, tools) {
  if (method !== 'POST') return void response.writeHead(405).end();
  const message = JSON.parse(text);
  if (message.id === undefined) return void response.writeHead(202).end();
  const result =
    message.method === 'initialize'
      ? {
          protocolVersion: message.params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'weather', version: '2.1.0' },
          instructions: 'You help people with the weather.',
        }
      : { tools };
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
}
