import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { withoutSlash } from '#lib/contracts/url';
import { credentials, readAnswer, type ApiClient } from './api-client.js';

/**
 * Posts a body while it is being produced, however long that takes, which `fetch` cannot do. A response that arrives
 * before the end of the body ends the request.
 * @param bytes length of the body, where it is known
 * @throws ApiError; what fetch throws when the server cannot be reached
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
      ...credentials(token),
      'content-type': type,
      ...(bytes !== undefined && { 'content-length': bytes }),
    },
  });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve);
      // Errors of the remaining upload are ignored once there is a response.
      request.on('error', (error) => reject(new TypeError('fetch failed', { cause: error })));
      pipeline(body, request, (error) => {
        if (error) reject(error);
      });
    });
    return JSON.parse(
      readAnswer(serverUrl, {
        status: response.statusCode!,
        type: response.headers['content-type'],
        retryAfter: response.headers['retry-after'],
        text: await text(response),
      }),
    ) as Answer;
  } finally {
    request.destroy();
  }
}
