import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { Refused, refuseGoogleNames } from '../models/check-names.js';
import { readCompletion, list, objectOf, type Format } from './format.js';

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
  read(body, model) {
    for (const name of Object.keys(body))
      if (!KNOWN.includes(name))
        throw new Error(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`);
    const { contents, systemInstruction: system, tools, toolConfig, generationConfig } = body;
    const config = isObject(generationConfig) ? generationConfig : {};
    const instructions = isObject(system)
      ? list(system.parts)
          .map(({ text }) => text)
          .join('\n\n')
      : '';
    let open: { id: string; name: Json | undefined }[] = [];
    const messages = list(contents).flatMap((content, index): JsonObject[] => {
      const parts = list(content.parts);
      for (const [at, part] of parts.entries()) {
        for (const [key, said] of [
          ['functionCall', 'function_call'],
          ['functionResponse', 'function_response'],
        ] as const) {
          if (isObject(part[key]) && !part[key].name)
            throw new Refused(
              `* GenerateContentRequest.contents[${index}].parts[${at}].${said}.name: Name cannot be empty.\n`,
            );
        }
      }
      const text = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n');
      if (content.role === 'model') {
        const calls = parts.flatMap(({ functionCall: call }) => (isObject(call) ? [call] : []));
        open = calls.map(({ id, name }, at) => ({ id: String(id ?? `call_${index}_${at}`), name }));
        return [
          {
            role: 'assistant',
            content: text || null,
            ...(calls.length > 0 && {
              tool_calls: calls.map(({ name, args }, at) => ({
                id: open[at]!.id,
                type: 'function',
                function: { name: name ?? '', arguments: JSON.stringify(args ?? {}) },
              })),
            }),
          },
        ];
      }
      const results = parts.flatMap(({ functionResponse: response }) => (isObject(response) ? [response] : []));
      if (results.length !== open.length || results.some(({ name }, at) => name !== open[at]!.name)) {
        throw new Error(
          'Please ensure that the number of function response parts is equal to the number of ' +
            'function call parts of the function call turn.',
        );
      }
      const answered = results.map(({ response }, at) => ({
        role: 'tool',
        tool_call_id: open[at]!.id,
        content: JSON.stringify(response),
      }));
      open = [];
      return [...answered, ...(text ? [{ role: 'user', content: text }] : [])];
    });
    const declared = list(tools).flatMap(({ functionDeclarations }) => list(functionDeclarations));
    refuseGoogleNames(declared.map(({ name }) => name));
    const calling =
      isObject(toolConfig) && isObject(toolConfig.functionCallingConfig) ? toolConfig.functionCallingConfig : {};
    const allowed = Array.isArray(calling.allowedFunctionNames) ? calling.allowedFunctionNames[0] : undefined;
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
        tool_choice:
          allowed !== undefined
            ? { type: 'function', function: { name: allowed } }
            : (MODES[String(calling.mode)] ?? 'auto'),
      }),
    };
  },

  /** A wrong key is a 400 there. */
  statusOf: (status) => (status === 401 ? 400 : status),

  write(completion, status, headers): JsonObject {
    const said = readCompletion(completion);
    if (!said) {
      const { message } = completion.error as JsonObject;
      const wait = headers['retry-after'];
      delete headers['retry-after']; // it says so in the body alone
      return {
        error: {
          code: status,
          message: message ?? '',
          status: STATUSES[status] ?? 'INTERNAL',
          ...(wait !== undefined && {
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` }],
          }),
          ...(status === 401 && {
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
          }),
        },
      };
    }
    const calls = said.calls.map(({ name, arguments: args }) => ({ name, args: objectOf(args) }));
    const broken = calls.findIndex(({ args }) => args === undefined);
    const parts =
      broken >= 0
        ? []
        : [
            ...(said.content ? [{ text: said.content }] : []),
            ...calls.map(({ name, args }) => ({ functionCall: { name, args: args! } })),
          ];
    return {
      candidates: [
        {
          index: 0,
          content: { ...(parts.length > 0 && { parts }), role: 'model' },
          ...(broken >= 0 && said.finish === 'tool_calls'
            ? {
                finishReason: 'MALFORMED_FUNCTION_CALL',
                finishMessage: `Malformed function call: ${said.calls[broken]!.name}(${said.calls[broken]!.arguments})`,
              }
            : {
                finishReason: FINISH_REASONS[said.finish] ?? 'OTHER',
                ...(said.finish === 'tool_calls' && { finishMessage: 'Model generated function call(s).' }),
              }),
        },
      ],
      usageMetadata: {
        promptTokenCount: said.usage.prompt,
        candidatesTokenCount: said.usage.completion,
        totalTokenCount: Number(said.usage.prompt) + Number(said.usage.completion),
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: said.usage.prompt }],
      },
      modelVersion: completion.model ?? null,
      responseId: String(completion.id).replace('chatcmpl-', ''),
    };
  },
};
