import type { ServerResponse } from 'node:http';
import { startHttpServer } from './http-server.js';

export interface ReceivedRequest {
  path: string;
  authorization: string | undefined;
  body: any;
  response: ServerResponse;
}

/** A model's message with a tool call. */
export const calling = (name: string, args: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'made', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
const IN_PARIS = calling('get_weather', { city: 'Paris' });

/** A response in place of a reply. */
export interface Refusal {
  status: number;
  headers?: Record<string, string>;
  body: object;
}

/**
 * An endpoint in OpenAI's format that holds its requests until a test answers them. It ends with the test file.
 * @param refuse the refusal of a request; undefined for a request that gets a reply
 */
export async function startEndpoint(
  messageFor: (body: any) => object = () => IN_PARIS,
  refuse: (body: any) => Refusal | undefined = () => undefined,
) {
  const asked: ReceivedRequest[] = [];
  let isOpen = false;
  const waiting = (): ReceivedRequest[] =>
    asked.filter(({ response }) => !response.writableEnded && !response.destroyed);
  const answer = ({ path, body, response }: ReceivedRequest): void => {
    const embeddings = (): object => ({
      data: [body.input].flat().map((_text: string, index: number) => ({ index, embedding: [1, 0] })),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });
    const completion = (): object => ({
      choices: [{ index: 0, message: messageFor(body), finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 1_000_000, completion_tokens: 0 },
    });
    const refusal = refuse(body);
    response
      .writeHead(refusal?.status ?? 200, { 'content-type': 'application/json', ...refusal?.headers })
      .end(JSON.stringify(refusal?.body ?? (path.endsWith('/embeddings') ? embeddings() : completion())));
  };
  const { url } = await startHttpServer(({ url: path, headers: { authorization } }, body, response) => {
    const one = { path: path!, authorization, body: JSON.parse(body), response };
    asked.push(one);
    if (isOpen) answer(one);
  });
  return {
    url: `${url}/v1`,
    /** All requests so far. */
    asked,
    /** Requests that are neither answered nor aborted. */
    waiting,
    /** Answers this many waiting requests. */
    answer: (count = Infinity) => waiting().slice(0, count).forEach(answer),
    /** Answers all waiting requests, and later ones immediately. */
    open: () => {
      isOpen = true;
      waiting().forEach(answer);
    },
  };
}
