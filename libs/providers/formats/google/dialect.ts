import type { GoogleGenAI } from '@google/genai';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { withoutSlash } from '#lib/contracts/url';
import { wordSet } from '#lib/contracts/word-set';
import { readGoogleReply } from './reply.js';
import { takeCacheRequest } from '../../dialects/cache-request.js';
import { GOOGLE_IDS, withUniqueCallIds } from '../../dialects/call-ids.js';
import { dropUnsupported, onlyHeaders, type Dialect } from '../../dialects/dialect.js';
import type { Note } from '../../dialects/note.js';
import { readError } from '../../dialects/read-errors.js';
import { note, objectIn, readMessages, type Part, type Turn } from '../../dialects/read-messages.js';
import { hidesFromGemini, mergeRootCombinators } from '../../dialects/root-combinators.js';

const HEADERS = ['content-type', 'user-agent', 'x-goog-api-key'];
const UNKNOWN = [
  'parallel_tool_calls',
  'logit_bias',
  'user',
  'metadata',
  'reasoning_effort',
  'verbosity',
  'modalities',
  'prediction',
  'logprobs',
  'top_logprobs',
  'service_tier',
];
const RENAMED: Record<string, string> = {
  max_tokens: 'maxOutputTokens',
  max_completion_tokens: 'maxOutputTokens',
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  n: 'candidateCount',
  seed: 'seed',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
};
/** Parameters under Google's own names. Its SDK silently drops unknown ones. */
const PASSED_THROUGH_PARAMS = wordSet(
  'topP topK candidateCount maxOutputTokens stopSequences responseLogprobs responseMimeType responseSchema',
  'responseJsonSchema responseModalities thinkingConfig safetySettings cachedContent mediaResolution serviceTier',
  'store',
);
/** Google's Gemini API: https://ai.google.dev/api/generate-content */
export const google: Dialect = {
  // "Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons
  // (:), or dashes (-), with a maximum length of 64" (its error; its SDK says 128). The error of other versions does
  // not mention colons.
  nameRule: {
    accepts: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
    invalidCharacters: /[^a-zA-Z0-9_.-]/gu,
    description: 'letters, digits, "_", "." and "-", a letter or "_" first',
  },
  calledNamePaths: ['candidates.*.content.parts.*.functionCall.name'],

  toWire(body) {
    const notes: Note[] = [];
    const {
      model,
      messages,
      tools,
      tool_choice: choice,
      stop,
      response_format: format,
      ...params
    } = withUniqueCallIds(takeCacheRequest(body).body, GOOGLE_IDS);
    dropUnsupported(params, UNKNOWN, 'The Gemini API', notes);
    const { system, turns } = readMessages(messages, notes);
    const config: JsonObject = {};
    for (const [name, value] of Object.entries(params)) {
      const own = RENAMED[name] ?? (PASSED_THROUGH_PARAMS.has(name) ? name : undefined);
      if (own) config[own] = value;
      else dropUnsupported({ ...params }, [name], 'The Gemini API', notes);
    }
    if (stop != null) config.stopSequences = Array.isArray(stop) ? stop : [stop];
    if (isObject(format) && format.type !== 'text') {
      config.responseMimeType = 'application/json';
      if (isObject(format.json_schema) && format.json_schema.schema)
        config.responseJsonSchema = format.json_schema.schema;
    }
    if (system.length > 0) config.systemInstruction = { parts: [{ text: system.join('\n\n') }] };
    if (Array.isArray(tools) && tools.length > 0) {
      config.tools = [{ functionDeclarations: tools.map((tool) => toDeclaration(tool, notes)) }];
      config.toolConfig = { functionCallingConfig: toCallingConfig(choice, strictness(tools, notes)) };
    }
    return { wire: { model: model ?? '', contents: toContents(turns), config }, notes };
  },

  connect(endpoint, fetch) {
    const { baseUrl, apiKey } = endpoint;
    const [, origin = baseUrl, apiVersion = 'v1beta'] =
      /^(.*?)(?:\/(v\d+(?:alpha|beta)?))?$/.exec(withoutSlash(baseUrl)) ?? [];
    const send = onlyHeaders(fetch, HEADERS, endpoint);
    let sdk: Promise<GoogleGenAI> | undefined;
    const load = async (): Promise<GoogleGenAI> => {
      const { GoogleGenAI } = await import('@google/genai');
      return new GoogleGenAI({
        vertexai: false,
        apiKey: apiKey ?? 'none',
        apiVersion,
        httpOptions: { baseUrl: origin },
      });
    };
    return async ({ model, contents, config }, { signal, replyMemory }) => {
      // The SDK exposes neither the text nor the headers of an answer, so they are captured in `fetch`.
      let answer: Response | undefined;
      const capture = async (url: unknown, init?: unknown): Promise<Response> => {
        answer = await send(url as string, { ...(init as RequestInit), replyMemory } as RequestInit);
        return new Response('{}', { headers: { 'content-type': 'application/json' } });
      };
      const ai = await (sdk ??= load());
      await ai.models.generateContent({
        model,
        contents,
        config: { ...(config as JsonObject), abortSignal: signal, httpOptions: { fetch: capture } },
      } as never);
      if (!answer!.ok) throw await failureIn(answer!);
      return answer!;
    };
  },

  fromWire: readGoogleReply,
  modelList: {
    path: { version: /\/v1(beta|alpha)?$/, rest: '/v1beta/models?pageSize=1000' },
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    modelIds: ({ models }) =>
      (Array.isArray(models) ? models : [])
        .filter(isObject)
        .filter(
          ({ supportedGenerationMethods: methods }) => !Array.isArray(methods) || methods.includes('generateContent'),
        )
        .map(({ name }) => toText(name).replace(/^models\//, '')),
  },
  traceName: 'gcp.gemini',
};

function toContents(turns: Turn[]): Json[] {
  const contents: { role: string; parts: Json[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const parts = toParts(turn);
    if (parts.length === 0) continue;
    const last = contents.at(-1);
    // All results of a round must be in one content.
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  return contents;
}

function toParts(turn: Turn): Json[] {
  if (turn.role === 'tool')
    return [
      {
        functionResponse: {
          id: turn.callId,
          name: turn.toolName,
          response: turn.failed === undefined ? (objectIn(turn.text) ?? { result: turn.text }) : { error: turn.failed },
        },
      },
    ];
  const parts = turn.parts.map(toPart);
  if (turn.role === 'user') return parts;
  const last = parts.at(-1);
  if (last && turn.calls.length === 0) Object.assign(last, signatureOf(turn.source));
  return [
    ...parts,
    ...turn.calls.map(({ id, name, arguments: args, source }, index) => ({
      functionCall: { id, name, args },
      ...(index === 0 && UNSIGNED),
      ...signatureOf(source),
    })),
  ];
}

/**
 * Gemini 3 rejects a conversation if the first call of a turn has no signature, and a case's own conversation cannot
 * have one. This value skips the check: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const UNSIGNED = { thoughtSignature: Buffer.from('skip_thought_signature_validator').toString('base64') };

/** A model's encrypted thoughts. They belong to a call, or to the text of a reply without calls. */
function signatureOf({ extra_content: extra }: JsonObject): JsonObject {
  const signature = isObject(extra) && isObject(extra.google) ? extra.google.thought_signature : undefined;
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function toPart(part: Part): JsonObject {
  if ('text' in part) return { text: part.text };
  const { image } = part;
  return 'url' in image
    ? { fileData: { fileUri: image.url } }
    : { inlineData: { mimeType: image.mediaType, data: image.base64 } };
}

const functionIn = (tool: Json): JsonObject => (isObject(tool) && isObject(tool.function) ? tool.function : {});

function toDeclaration(tool: Json, notes: Note[]): Json {
  const { name, description, parameters } = functionIn(tool);
  return {
    name: name ?? '',
    ...(description != null && { description }),
    ...(parameters != null && {
      parametersJsonSchema: isObject(parameters) ? withRootProperties(parameters, notes) : parameters,
    }),
  };
}

/** "The schema must describe an object where the properties are the parameters to the function" (its reference) */
function withRootProperties(parameters: JsonObject, notes: Note[]): JsonObject {
  if (!hidesFromGemini(parameters)) return parameters;
  note(
    notes,
    'combinators',
    "The Gemini API reads arguments from the root of a tool's schema. A tool with anyOf, oneOf or allOf there was " +
      'sent with the arguments of all branches, and its calls are checked by the whole schema.',
  );
  return { type: 'object', ...mergeRootCombinators(parameters) };
}

/** Whether calls must follow the tools' schemas. Google has one setting for all tools. */
function strictness(tools: Json[], notes: Note[]): boolean {
  const strict = tools.filter((tool) => functionIn(tool).strict === true).length;
  if (strict > 0 && strict < tools.length)
    note(notes, 'strict', 'The Gemini API is strict with all tools or with none; it was asked to be with all.');
  return strict > 0;
}

/** The mode ANY always enforces the schemas. */
function toCallingConfig(choice: Json | undefined, strict: boolean): JsonObject {
  const one = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
  if (one !== undefined) return { mode: 'ANY', allowedFunctionNames: [one] };
  return { mode: choice === 'required' ? 'ANY' : choice === 'none' ? 'NONE' : strict ? 'VALIDATED' : 'AUTO' };
}

/** The error that an SDK would throw. */
async function failureIn(answer: Response): Promise<Error> {
  const { text, ...said } = await readError(answer);
  return Object.assign(new Error(text || `status ${said.status}`), said);
}
