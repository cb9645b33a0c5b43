import { ADMIN_TOKEN } from './processes.js';

export interface Answer<Body = any> {
  status: number;
  body: Body;
  headers: Headers;
}

/** Calls the API as a user would. */
export const clientOf = (url: string, token = ADMIN_TOKEN) => {
  const sendOnce = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const json =
      /json/.test(response.headers.get('content-type') ?? '') &&
      !/ndjson/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, body: json && text ? JSON.parse(text) : text, headers: response.headers };
  };
  /** Polls for a comparison in progress, as `ApiClient` does. */
  const send: typeof sendOnce = async (method, path, body, headers) => {
    const answer = await sendOnce(method, path, body, headers);
    const place = answer.headers.get('location');
    return method === 'GET' && answer.status === 202 && place ? send('GET', place) : answer;
  };
  return {
    url,
    token,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => send('POST', path, body, headers),
    put: (path: string, body: unknown) => send('PUT', path, body),
    patch: (path: string, body: unknown) => send('PATCH', path, body),
    delete: (path: string) => send('DELETE', path),
    /** @returns its id */
    importSuite: async (suite: object | string = weatherSuite(2)): Promise<string> =>
      (await send('POST', '/api/tool-eval/import', suite)).body.suite_id,
    send,
    sendOnce,
  };
};
export type Client = ReturnType<typeof clientOf>;

/** A suite of `cases` weather questions, each with an expected call. */
export const weatherSuite = (cases: number) => ({
  name: 'Weather',
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Get current weather for a city',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, units: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
          required: ['city'],
        },
      },
    },
  ],
  test_cases: Array.from({ length: cases }, (_, n) => ({
    name: `case ${n}`,
    prompt: `What is the weather in Paris? (${n})`,
    expected_tool: 'get_weather',
    expected_params: { city: 'Paris' },
  })),
});

/** Models `sim::a` and `sim::b:8b` of a provider that does not answer, for tests that only submit. */
export const addUnreachableModels = (client: Client): Promise<Answer> =>
  client.post('/api/providers', {
    key: 'sim',
    base_url: 'http://127.0.0.1:9/v1',
    api_key: 'sk-secret-0123456789',
    models: [{ id: 'a' }, { id: 'b:8b' }],
  });
