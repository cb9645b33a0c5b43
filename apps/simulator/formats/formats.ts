import { isObject, parseJson } from '#lib/contracts/json/json';
import type { Format } from './format.js';
import { anthropicFormat } from './anthropic.js';
import { googleFormat } from './google.js';
import { responsesFormat } from './openai-responses.js';
import type { ResponsePlan } from './chat-completions.js';

/** The format that a path belongs to, and the model where the path names it. */
export function formatOf(path: string): { format: Format; model?: string } | undefined {
  if (path === '/v1/responses') return { format: responsesFormat };
  if (path === '/anthropic/v1/messages') return { format: anthropicFormat };
  const model = /^\/google\/v1(?:beta)?\/models\/(.+):generateContent$/.exec(path)?.[1];
  return model ? { format: googleFormat, model: decodeURIComponent(model) } : undefined;
}

/** The format of whatever else a host answers, its list of models, say. */
export const formatOfHost = (path: string): Format | undefined =>
  path.startsWith('/anthropic/') ? anthropicFormat : path.startsWith('/google/') ? googleFormat : undefined;

/** An answer in another format; what is no JSON (a proxy's page, half an answer) stays as it is. */
export function inFormat(format: Format | undefined, answer: ResponsePlan): ResponsePlan {
  if (!format || answer.do !== 'send') return answer;
  try {
    const body = parseJson(answer.body.toString());
    if (!isObject(body) || !(isObject(body.error) || Array.isArray(body.choices))) return answer;
    const headers = { ...answer.headers };
    const status = format.statusOf?.(answer.status) ?? answer.status;
    return { ...answer, status, body: JSON.stringify(format.write(body, answer.status, headers)), headers };
  } catch {
    return answer;
  }
}
