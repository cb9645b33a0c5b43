import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { implicitPrompt } from '../prompt-cache/implicit.js';
import { Refused, refuseGoogleNames } from './check-names.js';
import { joinTexts, requireList, objectOf, readCompletion, type Completion, type Format } from './format.js';

const KNOWN = [
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'cachedContent',
];
const MODES: Record<string, string> = { ANY: 'required', NONE: 'none', AUTO: 'auto' };
const FINISH_REASONS: Record<string, string> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};
const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** Google's Gemini API, as far as the simulated models need it. */
export const googleFormat: Format = {
  path: /^\/google\/v1(?:beta)?\/models\/(.+):generateContent$/,
  host: '/google/',
  basePath: '/google/v1beta',
  read(body, model) {
    for (const name of Object.keys(body))
      if (!KNOWN.includes(name))
        throw new Error(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`);
    const { contents, systemInstruction: system, tools, toolConfig, generationConfig } = body;
    const config = isObject(generationConfig) ? generationConfig : {};
    const instructions = isObject(system) ? joinTexts(system.parts, '\n\n') : '';
    const messages = readContents(contents);
    const declared = requireList(tools).flatMap(({ functionDeclarations }) => requireList(functionDeclarations));
    refuseGoogleNames(declared.map(({ name }) => name));
    return {
      model: model ?? '',
      messages: [...(instructions ? [{ role: 'system', content: instructions }] : []), ...messages],
      ...(config.maxOutputTokens !== undefined && { max_tokens: config.maxOutputTokens }),
      ...(config.temperature !== undefined && { temperature: config.temperature }),
      ...(declared.length > 0 && {
        tools: declared.map(({ name, description, parametersJsonSchema: schema, parameters }) => ({
          type: 'function',
          function: {
            name: name ?? '',
            ...(description !== undefined && { description }),
            parameters: schema ?? parameters ?? {},
          },
        })),
        tool_choice: readToolChoice(toolConfig),
      }),
    };
  },

  cacheable: ({ tools, systemInstruction, contents }) =>
    implicitPrompt({ scope: 'google', tools: tools ?? null, rest: [systemInstruction ?? null, contents ?? null] }),

  /** Google answers a wrong key with 400. */
  statusOf: (status) => (status === 401 ? 400 : status),

  write(completion, status, headers, used): JsonObject {
    const reply = readCompletion(completion, used);
    if (!reply) return writeError(completion.error as JsonObject, status, headers);
    const { usage } = reply;
    return {
      candidates: [writeCandidate(reply)],
      usageMetadata: {
        promptTokenCount: usage.prompt,
        candidatesTokenCount: usage.completion - usage.reasoning,
        totalTokenCount: usage.prompt + usage.completion,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.prompt }],
        ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
        ...(usage.cacheRead > 0 && {
          cachedContentTokenCount: usage.cacheRead,
          cacheTokensDetails: [{ modality: 'TEXT', tokenCount: usage.cacheRead }],
        }),
      },
      modelVersion: completion.model ?? null,
      responseId: String(completion.id).replace('chatcmpl-', ''),
    };
  },
};

interface OpenCall {
  id: string;
  name: Json | undefined;
}

function readContents(contents: Json | undefined): JsonObject[] {
  let openCalls: OpenCall[] = [];
  return requireList(contents).flatMap((content, index): JsonObject[] => {
    const parts = requireList(content.parts);
    refuseEmptyNames(parts, index);
    const text = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n');
    if (content.role === 'model') {
      const calls = parts.flatMap(({ functionCall: call }) => (isObject(call) ? [call] : []));
      openCalls = calls.map(({ id, name }, at) => ({ id: String(id ?? `call_${index}_${at}`), name }));
      return [toAssistantMessage(text, calls, openCalls)];
    }
    const results = readResults(parts, openCalls);
    openCalls = [];
    return [...results, ...(text ? [{ role: 'user', content: text }] : [])];
  });
}

function refuseEmptyNames(parts: JsonObject[], index: number): void {
  for (const [at, part] of parts.entries()) {
    for (const [key, wireKey] of [
      ['functionCall', 'function_call'],
      ['functionResponse', 'function_response'],
    ] as const) {
      if (isObject(part[key]) && !part[key].name)
        throw new Refused(
          `* GenerateContentRequest.contents[${index}].parts[${at}].${wireKey}.name: Name cannot be empty.\n`,
        );
    }
  }
}

const toAssistantMessage = (text: string, calls: JsonObject[], openCalls: OpenCall[]): JsonObject => ({
  role: 'assistant',
  content: text || null,
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ name, args }, at) => ({
      id: openCalls[at]!.id,
      type: 'function',
      function: { name: name ?? '', arguments: JSON.stringify(args ?? {}) },
    })),
  }),
});

/** Reads tool results: one for each call of the previous turn, in call order. */
function readResults(parts: JsonObject[], openCalls: OpenCall[]): JsonObject[] {
  const results = parts.flatMap(({ functionResponse: result }) => (isObject(result) ? [result] : []));
  if (results.length !== openCalls.length || results.some(({ name }, at) => name !== openCalls[at]!.name)) {
    throw new Error(
      'Please ensure that the number of function response parts is equal to the number of ' +
        'function call parts of the function call turn.',
    );
  }
  return results.map(({ response }, at) => ({
    role: 'tool',
    tool_call_id: openCalls[at]!.id,
    content: JSON.stringify(response),
  }));
}

function readToolChoice(toolConfig: Json | undefined): Json {
  const config =
    isObject(toolConfig) && isObject(toolConfig.functionCallingConfig) ? toolConfig.functionCallingConfig : {};
  const allowed = Array.isArray(config.allowedFunctionNames) ? config.allowedFunctionNames[0] : undefined;
  return allowed !== undefined
    ? { type: 'function', function: { name: allowed } }
    : (MODES[String(config.mode)] ?? 'auto');
}

/** Google cannot represent a call whose arguments are not an object; it quotes the call instead. */
function writeCandidate({ content, calls, finish }: Completion): JsonObject {
  const written = calls.map(({ name, arguments: args, signature }) => ({
    name,
    args: objectOf(args || '{}'),
    signature,
  }));
  const broken = calls.find((_call, index) => written[index]!.args === undefined);
  const parts = broken
    ? []
    : [
        ...(content ? [{ text: content }] : []),
        ...written.map(({ name, args, signature }) => ({
          functionCall: { name, args: args! },
          ...(signature !== undefined && { thoughtSignature: signature }),
        })),
      ];
  return {
    index: 0,
    content: { ...(parts.length > 0 && { parts }), role: 'model' },
    ...(broken && finish === 'tool_calls'
      ? {
          finishReason: 'MALFORMED_FUNCTION_CALL',
          finishMessage: `Malformed function call: ${broken.name}(${broken.arguments})`,
        }
      : {
          finishReason: FINISH_REASONS[finish] ?? 'OTHER',
          ...(finish === 'tool_calls' && { finishMessage: 'Model generated function call(s).' }),
        }),
  };
}

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';
const WRONG_KEY = {
  code: 400,
  status: 'INVALID_ARGUMENT',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
  ],
};

function writeError({ message }: JsonObject, status: number, headers: Record<string, string>): JsonObject {
  const wait = headers['retry-after'];
  delete headers['retry-after']; // Google gives the retry delay only in the body.
  return {
    error: {
      code: status,
      message: message ?? '',
      status: STATUSES[status] ?? 'INTERNAL',
      ...(wait !== undefined && { details: [{ '@type': RETRY_INFO, retryDelay: `${wait}s` }] }),
      ...(status === 401 && WRONG_KEY),
    },
  };
}
