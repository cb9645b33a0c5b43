import type { JsonObject } from '#lib/contracts/json/json';
import { createChatClient } from './chat.js';
import { DIALECTS } from './formats/formats.js';

const answering = (body: object) => {
  let asked = 0;
  const fetch = async (): Promise<Response> => (
    asked++,
    new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
  );
  return {
    client: createChatClient(
      'google',
      { baseUrl: 'https://api.example.com/v1beta', apiKey: 'secret-key-0123456789' },
      fetch,
    ),
    asked: () => asked,
  };
};
const SIMPLE: JsonObject = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const options = { signal: new AbortController().signal, timeoutMs: 5000 };

const { fromWire } = DIALECTS.google;
afterEach(() => void (DIALECTS.google.fromWire = fromWire));

describe('an unexpected error is neither a connection error nor retried', () => {
  it('while building a request, which is not sent', async () => {
    const { client, asked } = answering({});
    const odd = Object.defineProperty({ ...SIMPLE }, 'messages', {
      enumerable: true,
      get: () => {
        throw new TypeError('odd');
      },
    });
    await expect(client.ask(odd, options)).rejects.toMatchObject({
      kind: 'internal',
      retryable: false,
      isOutage: false,
      message: expect.stringMatching(/Unexpected.*odd/),
      cause: expect.any(TypeError),
    });
    expect(asked()).toBe(0);
  });

  it('while reading a response, which is kept without the key', async () => {
    DIALECTS.google.fromWire = () => {
      throw new TypeError('odd');
    };
    const { client, asked } = answering({ responseId: 'secret-key-0123456789' });
    const failure = await client.ask(SIMPLE, options).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      kind: 'internal',
      retryable: false,
      isOutage: false,
      cause: expect.any(TypeError),
      body: expect.stringMatching(/"responseId"/),
    });
    expect((failure as { body: string }).body).not.toContain('secret-key-0123456789');
    expect(asked()).toBe(1);
  });
});
