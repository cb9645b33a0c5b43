import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { withoutSlash } from '#lib/contracts/url';
import { readAnswer, type ApiClient } from './api-client.js';

/**
 * Posts a body as it is made, however long that takes, which `fetch` would not. An answer that comes before its end
 * ends it.
 * @param bytes of the body, where they are known
 * @throws ApiError; a server that is not there, as what fetch throws
 */
export async function sendStream<Answer>(
  { serverUrl, token }: Pick<ApiClient, 'serverUrl' | 'token'>,
  path: string,
  type: string,
  body: Readable,
  bytes?: number,
): Promise<Answer> {
  const url = new URL(`${withoutSlash(serverUrl)}${path}`);
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': type,
      ...(bytes !== undefined && { 'content-length': bytes }),
    },
  });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve);
      // After an answer nobody listens to what becomes of the rest.
      request.on('error', (error) => reject(new TypeError('fetch failed', { cause: error })));
      pipeline(body, request, (error) => {
        if (error) reject(error);
      });
    });
    return JSON.parse(
      readAnswer(serverUrl, {
        status: response.statusCode!,
        type: response.headers['content-type'],
        text: await text(response),
      }),
    ) as Answer;
  } finally {
    request.destroy();
  }
}
