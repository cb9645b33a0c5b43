import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { createChatClient } from '#lib/providers/chat';
import type { ProviderFailure } from '#lib/providers/failure';
import { isHostFailure } from '#lib/providers/replies/host-failure';
import { readBody } from '#lib/providers/formats/read-body';
import { replyInFailure } from '#lib/providers/formats/stored-reply';
import { prepareCase } from '#lib/scoring/house/score-case';
import { scoreMetric } from '#lib/scoring/metrics';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { readInput } from './read-input.js';
import { FailedReply } from './read-recorded.js';

const parameters = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const TOOLS = [
  { type: 'function' as const, function: { name: 'get_weather', description: 'Weather of a city', parameters } },
  { type: 'function' as const, function: { name: 'list_items', parameters: { type: 'object' as const } } },
];
const paris = { name: 'get_weather', arguments: { city: 'Paris' } };
const PARIS: CaseInput = { prompt: '?', expected_tool: 'get_weather', expected_params: { city: 'Paris' } };
const LIST: CaseInput = { prompt: '?', expected_tool: 'list_items' };
const NOTHING: CaseInput = { prompt: '?', expected_tool: null };

/** A model's answer, independent of the format. */
interface Said {
  text?: string;
  thoughts?: string;
  calls?: { name: string; arguments: Json }[];
  end?: 'stop' | 'length' | 'filter' | 'error';
}

const REASONS = {
  openai: { stop: 'stop', length: 'length', filter: 'content_filter', error: 'error' },
  anthropic: { stop: 'end_turn', length: 'max_tokens', filter: 'refusal', error: 'error' },
  google: { stop: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY', error: 'ERROR' },
};

const BODIES = {
  openai: ({ text = null, thoughts, calls, end = 'stop' }) =>
    json({
      choices: [
        {
          finish_reason: REASONS.openai[end],
          message: {
            role: 'assistant',
            content: text,
            ...(thoughts && { reasoning_content: thoughts }),
            ...(calls && {
              tool_calls: calls.map(({ name, arguments: given }) => ({
                type: 'function',
                function: { name, arguments: JSON.stringify(given) },
              })),
            }),
          },
        },
      ],
    }),
  'openai-responses': ({ text, thoughts, calls = [], end = 'stop' }) =>
    json({
      object: 'response',
      status: end === 'stop' ? 'completed' : end === 'error' ? 'failed' : 'incomplete',
      incomplete_details:
        end === 'length' ? { reason: 'max_output_tokens' } : end === 'filter' ? { reason: 'content_filter' } : null,
      output: [
        ...(thoughts ? [{ type: 'reasoning', summary: [{ type: 'summary_text', text: thoughts }] }] : []),
        { type: 'message', content: text === undefined ? [] : [{ type: 'output_text', text }] },
        ...calls.map((call) => ({ type: 'function_call', ...call, arguments: JSON.stringify(call.arguments) })),
      ],
    }),
  anthropic: ({ text, thoughts, calls = [], end = 'stop' }) =>
    json({
      type: 'message',
      role: 'assistant',
      stop_reason: REASONS.anthropic[end],
      content: [
        ...(thoughts ? [{ type: 'thinking', thinking: thoughts }] : []),
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(({ name, arguments: input }) => ({ type: 'tool_use', name, input })),
      ],
    }),
  google: ({ text, thoughts, calls = [], end = 'stop' }) =>
    json({
      candidates: [
        {
          finishReason: REASONS.google[end],
          content: {
            parts: [
              ...(thoughts ? [{ text: thoughts, thought: true }] : []),
              ...(text === undefined ? [] : [{ text }]),
              ...calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
            ],
          },
        },
      ],
    }),
} satisfies Partial<Record<ProviderKind, (said: Said) => JsonObject>>;
const json = (value: unknown): JsonObject => parseJson(JSON.stringify(value)) as JsonObject;

/** The result that a run gives a response: `passes`, an error type, or the kind of its failure. */
async function run(kind: ProviderKind, of: CaseInput, body: JsonObject, status = 200): Promise<string> {
  const response = new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  const chat = createChatClient(kind, { baseUrl: 'https://host.example/v1', apiKey: 'k' }, async () => response);
  const request = { model: 'm', messages: [{ role: 'user', content: '?' }], tools: TOOLS as unknown as Json };
  const reply = await chat
    .ask(request, { signal: new AbortController().signal, timeoutMs: 10_000 })
    .catch((failure: ProviderFailure) => replyInFailure(failure) ?? failure);
  if (reply instanceof Error) return `${reply.kind}${reply.retryable ? ', retried' : ''}`;
  return verdict(of, parseReply(reply.message, TOOLS, { finishReason: reply.finishReason }));
}

function verdict(of: CaseInput, reply: ReturnType<typeof parseReply>): string {
  const { passed, error_type, evidence } = prepareCase(of, TOOLS, 1).score(reply);
  return `${passed ? 'passes' : error_type}${evidence.syntax ? ` (${evidence.syntax})` : ''}`;
}

/** The result that a rescore gives the same body once stored. */
function rescore(of: CaseInput, body: JsonObject): string | undefined {
  const read = readBody(body);
  if (!read || isHostFailure(read)) return undefined;
  return verdict(of, parseReply(read.message, TOOLS, { finishReason: read.finishReason }));
}

/** The result that `toolmark score` gives it. */
function score(of: CaseInput, body: JsonObject): string {
  try {
    const { input } = readInput('toolmark.single_turn', { case: of, tools: TOOLS, reply: body });
    const scored = scoreMetric('toolmark.single_turn', {}, input) as unknown as {
      passed: boolean;
      error_type: string;
      evidence: { syntax?: string };
    };
    const { passed, error_type, evidence } = scored;
    return `${passed ? 'passes' : error_type}${evidence.syntax ? ` (${evidence.syntax})` : ''}`;
  } catch (error) {
    const { cause } = error as Error;
    return cause instanceof FailedReply ? cause.kind : (error as Error).message;
  }
}

async function expectAlike(kind: ProviderKind, of: CaseInput, body: JsonObject, right: string): Promise<void> {
  expect(await run(kind, of, body)).toBe(right);
  const isErrored = right.includes('retried') || right === 'blocked';
  expect(rescore(of, body)).toBe(isErrored ? undefined : right);
  expect(score(of, body)).toBe(right.replace(', retried', ''));
}

const draft = JSON.stringify(paris);
const schema = JSON.stringify({ ...TOOLS[0]!.function });

describe.each(Object.keys(BODIES) as (keyof typeof BODIES)[])('a reply in the format of %s', (kind) => {
  test.each<[what: string, of: CaseInput, said: Said, right: string]>([
    ['that its host broke off is not an answer', PARIS, { text: 'Let me che', end: 'error' }, 'provider_5xx, retried'],
    ['that its host broke off is not an abstention', NOTHING, { text: '', end: 'error' }, 'provider_5xx, retried'],
    ['that the filter cut is refused', PARIS, { text: 'I', end: 'filter' }, 'refused'],
    ['that the filter cut is not an abstention', NOTHING, { end: 'filter' }, 'refused'],
    ['that ended at its limit before its call is cut off', PARIS, { text: 'First', end: 'length' }, 'cut_off'],
    ['that ended within its thoughts is cut off', NOTHING, { thoughts: 'Hm', end: 'length' }, 'cut_off'],
    ['with a whole call is scored by it, though cut off', PARIS, { calls: [paris], end: 'length' }, 'passes'],
    ['with a whole call is scored by it, though filtered', PARIS, { calls: [paris], end: 'filter' }, 'passes'],
    ['that is empty called nothing', NOTHING, { text: '' }, 'passes'],
    ['with a call that was only considered passes by calling none', NOTHING, { thoughts: draft, text: 'Hi' }, 'passes'],
    ['with a call in its thoughts alone calls nothing', PARIS, { thoughts: draft, text: 'Hi' }, 'no_call (thoughts)'],
    ['with a call among thoughts in the text', NOTHING, { text: `<think>${draft}</think>Hi` }, 'passes'],
    ['that repeats a tool', NOTHING, { text: `I have ${schema}.` }, 'passes'],
    ['that repeats the tool it should call', LIST, { text: '{"name":"list_items","description":"x"}' }, 'no_call'],
    ['with a call in its text', PARIS, { text: `<tool_call>${draft}</tool_call>` }, 'passes (hermes)'],
  ])('%s', (_what, of, said, right) => expectAlike(kind, of, BODIES[kind](said), right));

  it('with an error next to it is not an answer', async () => {
    const body = { ...BODIES[kind]({ text: 'Hi' }), error: { code: 429, message: 'Slow down' } };
    await expectAlike(kind, NOTHING, body, 'rate_limited, retried');
    await expectAlike(kind, NOTHING, { ...body, error: { message: 'Oops' } }, 'bad_response, retried');
  });

  it('with an empty error is an answer', async () => {
    for (const error of [null, '', false, {}, { code: null, message: '' }] as Json[])
      await expectAlike(kind, PARIS, { ...BODIES[kind]({ calls: [paris] }), error }, 'passes');
  });
});

const choice = (message: object, more: object = {}): JsonObject =>
  json({ choices: [{ message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop', ...more }] });
const native = { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } };

describe('a failed reply is not an answer', () => {
  test.each([
    ['error', 'provider_5xx'],
    ['abort', 'provider_5xx'],
    ['ABORTED', 'provider_5xx'],
    ['preempted', 'provider_5xx'],
    ['network_error', 'provider_5xx'],
    ['insufficient_system_resource', 'provider_5xx'],
    ['timeout', 'provider_5xx'],
    ['rate_limit', 'rate_limited'],
  ])('finish reason %s, even with a call or a text', async (reason, kind) => {
    for (const message of [{}, { content: 'Hel' }, { tool_calls: [native] }]) {
      for (const wanted of [PARIS, NOTHING])
        await expectAlike('openai', wanted, choice(message, { finish_reason: reason }), `${kind}, retried`);
    }
  });

  test.each(['constructor', '__proto__', 'unexpected_end'])('finish reason %s next to a text has no effect', (reason) =>
    expectAlike('openai', NOTHING, choice({ content: 'Hi' }, { finish_reason: reason }), 'passes'),
  );

  it('an unknown finish reason is a failure only if the message is empty', async () => {
    await expectAlike('openai', NOTHING, choice({}, { finish_reason: 'brb' }), 'bad_response, retried');
    await expectAlike('openai', NOTHING, choice({ content: ' ' }, { finish_reason: 'brb' }), 'bad_response, retried');
    await expectAlike('openai', NOTHING, choice({ content: 'Hi' }, { finish_reason: 'brb' }), 'passes');
    await expectAlike('openai', PARIS, choice({ tool_calls: [native] }, { finish_reason: 'brb' }), 'passes');
  });

  test.each<[string, object, string]>([
    ['an upstream', { code: 502, message: 'x' }, 'provider_5xx, retried'],
    ['a limit', { code: '429', message: 'x' }, 'rate_limited, retried'],
    ['a rate limit as a message', { code: 'rate_limit_exceeded', message: 'x' }, 'rate_limited, retried'],
    ['no reason', { message: 'x' }, 'provider_5xx, retried'],
  ])('an error inside a choice: %s', async (_what, error, right) => {
    await expectAlike('openai', NOTHING, choice({ content: '' }, { error }), right);
    await expectAlike('openai', PARIS, choice({ tool_calls: [native] }, { error }), right);
  });

  test.each<[string, JsonObject]>([
    ['choices that are null', { choices: null }],
    ['choices that are an object', json({ choices: { message: {} } })],
    ['no choice', json({ choices: [] })],
    ['a choice without a message', json({ choices: [{ text: 'x' }] })],
    ['calls that are one object', choice({ tool_calls: native })],
    ['calls that are a text', choice({ tool_calls: JSON.stringify([native]) })],
    ['a call that is null', choice({ tool_calls: [null] })],
    ['a call that is a text', choice({ tool_calls: ['get_weather'] })],
    ['a call whose function is null', choice({ tool_calls: [{ type: 'function', function: null }] })],
    ['two replies', json({ choices: [{ message: { tool_calls: [native] } }, { message: { tool_calls: [native] } }] })],
  ])('%s', (_what, body) => expectAlike('openai', NOTHING, body, 'bad_response, retried'));

  test.each<[string, ProviderKind, JsonObject]>([
    ['a response that failed', 'openai-responses', json({ object: 'response', status: 'failed', output: [] })],
    [
      'one that is still in progress',
      'openai-responses',
      json({ object: 'response', status: 'in_progress', output: [] }),
    ],
  ])('%s', (_what, kind, body) => expectAlike(kind, NOTHING, body, 'provider_5xx, retried'));

  test.each<[string, ProviderKind, JsonObject]>([
    ['no candidates', 'google', json({ candidates: [] })],
    ['a candidate that ended for no known reason', 'google', json({ candidates: [{ finishReason: 'OTHER' }] })],
    ['an empty response', 'openai-responses', json({ object: 'response', status: 'completed', output: [] })],
    ['content that is not a list', 'anthropic', json({ type: 'message', content: null })],
  ])('%s', (_what, kind, body) => expectAlike(kind, NOTHING, body, 'bad_response, retried'));
});

describe('a request that a filter blocks has no score and is not retried', () => {
  it('at Google', () => expectAlike('google', NOTHING, json({ promptFeedback: { blockReason: 'SAFETY' } }), 'blocked'));

  test.each<[string, number, object]>([
    ['Azure', 400, { code: 'content_filter', message: 'The response was filtered.' }],
    ['OpenAI', 400, { code: 'content_policy_violation', message: 'Your request was rejected.' }],
    ['OpenRouter', 403, { code: 403, message: 'x', metadata: { reasons: ['sexual'], flagged_input: '...' } }],
    ['Qwen', 400, { code: 'data_inspection_failed', message: 'Input data may contain inappropriate content.' }],
    ['DeepSeek', 400, { message: 'Content Exists Risk', type: 'invalid_request_error' }],
  ])('at %s', async (_host, status, error) => {
    expect(await run('openai', NOTHING, json({ error }), status)).toBe('blocked');
  });
});

describe('a call that its host could not read counts as the model’s reply', () => {
  const malformed = (reason: string, more: object = {}): JsonObject =>
    json({ candidates: [{ content: {}, finishReason: reason, ...more }] });
  const message = 'Malformed function call: call:default_api:get_weather{city:Paris}';

  test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
    '%s of Gemini',
    async (reason) => {
      for (const more of [{}, { finishMessage: message }]) {
        await expectAlike('google', NOTHING, malformed(reason, more), 'unexpected_call');
        await expectAlike('google', PARIS, malformed(reason, more), 'malformed_arguments');
      }
    },
  );

  test.each<[string, object]>([
    ['its own words', { finish_reason: 'MALFORMED_FUNCTION_CALL' }],
    ['behind a colon', { finish_reason: 'function_call_filter: UNEXPECTED_TOOL_CALL' }],
    ['next to "error"', { finish_reason: 'error', native_finish_reason: 'TOO_MANY_TOOL_CALLS' }],
  ])('through a compatible host: %s', async (_how, more) => {
    await expectAlike('openai', NOTHING, choice({}, more), 'unexpected_call');
    await expectAlike('openai', PARIS, choice({ content: '' }, more), 'malformed_arguments');
  });

  test.each<[string, number, object | string]>([
    ['Ollama', 500, `error parsing tool call: raw='{"city":"Paris"', err=unexpected end of JSON input`],
    [
      'Ollama behind its OpenAI format',
      500,
      { message: `error parsing tool call: raw='{"ci', err=x`, type: 'api_error' },
    ],
    ['llama.cpp', 500, { code: 500, message: 'Failed to parse input at pos 12: <tool_call>{"name": "get_weather", ' }],
    ['Groq', 400, { code: 'tool_use_failed', message: 'x', failed_generation: '<function=get_weather>{"city": "Par' }],
    [
      'Groq behind OpenRouter',
      400,
      {
        code: 400,
        message: 'Provider returned error',
        metadata: { raw: JSON.stringify({ error: { code: 'tool_use_failed', failed_generation: '{"name": ' } }) },
      },
    ],
  ])('the error of %s', async (_host, status, error) => {
    for (const [wanted, right] of [
      [PARIS, 'malformed_arguments'],
      [NOTHING, 'unexpected_call'],
    ] as const) {
      expect((await run('openai', wanted, json({ error }), status)).split(' ')[0]).toBe(right);
      expect(score(wanted, json({ error })).split(' ')[0]).toBe(right);
    }
  });

  it('stays malformed even if the quoted call can be parsed, with its syntax', async () => {
    const failed_generation = '<function=get_weather>{"city": "Paris"}</function>';
    const error = { code: 'tool_use_failed', failed_generation };
    expect(await run('openai', PARIS, json({ error }), 400)).toBe('malformed_arguments (llama)');
    expect(await run('openai', NOTHING, json({ error }), 400)).toBe('unexpected_call (llama)');
  });

  it('a model that did not make the required call has called nothing', async () => {
    const message = 'Tool choice is required, but model did not call a tool';
    const error = { code: 'tool_use_failed', message, failed_generation: 'Hello!' };
    expect(await run('openai', PARIS, json({ error }), 400)).toBe('no_call');
  });
});

describe('variants of calls by host', () => {
  const args = { city: 'Paris' };
  test.each<[string, ProviderKind, JsonObject]>([
    ['calls by index', 'openai', choice({ tool_calls: { 0: native } })],
    ['args', 'openai', choice({ tool_calls: [{ name: 'get_weather', args, type: 'tool_call' }] })],
    ['parameters', 'openai', choice({ tool_calls: [{ function: { name: 'get_weather', parameters: args } }] })],
    ['input', 'openai', choice({ tool_calls: [{ function: { name: 'get_weather', input: '{"city":"Paris"}' } }] })],
    [
      'arguments next to the function',
      'openai',
      choice({ tool_calls: [{ function: { name: 'get_weather' }, arguments: args }] }),
    ],
    ['a function call with args', 'openai', choice({ function_call: { name: 'get_weather', args } })],
    [
      'the text in one choice, the call in another',
      'openai',
      json({
        choices: [{ message: { content: 'I look.' } }, { message: { tool_calls: [native] } }],
      }),
    ],
    [
      'a response without object and status',
      'openai-responses',
      json({
        output: [{ type: 'function_call', name: 'get_weather', arguments: '{"city":"Paris"}' }],
      }),
    ],
    [
      'a response whose arguments are an input',
      'openai-responses',
      json({
        object: 'response',
        status: null,
        output: [{ type: 'function_call', name: 'get_weather', input: args }],
      }),
    ],
    [
      'a message without a type',
      'anthropic',
      json({
        role: 'assistant',
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', name: 'get_weather', input: args }],
      }),
    ],
    [
      'a message whose input are arguments',
      'anthropic',
      json({
        type: 'message',
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', name: 'get_weather', arguments: args }],
      }),
    ],
    [
      'a candidate whose args are arguments',
      'google',
      json({
        candidates: [{ content: { parts: [{ functionCall: { name: 'get_weather', arguments: args } }] } }],
      }),
    ],
  ])('%s', (_what, kind, body) => expectAlike(kind, PARIS, body, 'passes'));

  test.each(['""', 'null', '', '{}', '"{}"', ' ', '"null"', '{}""'])('%j as arguments means none', (given) =>
    expectAlike(
      'openai',
      LIST,
      choice({ tool_calls: [{ function: { name: 'list_items', arguments: given } }] }),
      'passes',
    ),
  );

  test.each<[string, string]>([
    ['{"city":"Paris"}""', 'passes'],
    ['{"city":"Paris"} "" ', 'passes'],
    ['{"city":"Paris"}{"city":"Rome"}', 'malformed_arguments'],
    ['{"city":"Paris"} junk', 'malformed_arguments'],
    ['{"city":"Paris"', 'malformed_arguments'],
  ])('arguments %s', (given, right) =>
    expectAlike(
      'openai',
      PARIS,
      choice({ tool_calls: [{ function: { name: 'get_weather', arguments: given } }] }),
      right,
    ),
  );
});

test('a bare message may have the finish reason of any host', () => {
  const message = { role: 'assistant', content: 'First' };
  expect(score(PARIS, { ...message, finish_reason: 'MAX_TOKENS' })).toBe('cut_off');
  expect(score(NOTHING, { ...message, finish_reason: 'safety' })).toBe('refused');
  expect(score(NOTHING, { ...message, finish_reason: 'abort' })).toBe('provider_5xx');
  expect(score(NOTHING, { ...message, finish_reason: 'stop' })).toBe('passes');
});
