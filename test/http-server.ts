import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterFile } from './after-file.js';

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** A server that handles each request with its whole body. It ends with the test file. */
export async function startHttpServer(handle: Handler): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    let body = '';
    request
      .setEncoding('utf8')
      .on('data', (chunk: string) => (body += chunk))
      .on('end', () => handle(request, body, response));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  afterFile(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export const sendJson = (response: ServerResponse, body: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** An MCP server with these tools. @returns its address */
export async function startMcpServer(
  tools: () => object[],
  /** The header that a request needs. */
  authorization: () => string | undefined = () => undefined,
): Promise<string> {
  const { url } = await startHttpServer((request, body, response) => {
    const wanted = authorization();
    if (wanted && request.headers.authorization !== wanted)
      return void response
        .writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' })
        .end('{"error":"invalid_token"}');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const answer = (more: object): void => sendJson(response, { jsonrpc: '2.0', id, ...more });
    if (method === 'tools/list') return answer({ result: { tools: tools() } });
    if (method !== 'initialize') return answer({ error: { code: -32601, message: 'Method not found' } });
    const serverInfo = { name: 'changing', version: '1' };
    answer({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  });
  return `${url}/mcp`;
}
