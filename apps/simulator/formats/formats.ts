import { isObject, parseJson } from '#lib/contracts/json/json';
import type { Format } from './format.js';
import { anthropicFormat } from './anthropic.js';
import { googleFormat } from './google.js';
import { responsesFormat } from './openai-responses.js';
import type { ResponsePlan } from './chat-completions.js';

/** The format that a path belongs to, with the model if the path names it. */
export function formatOf(path: string): { format: Format; model?: string } | undefined {
  if (path === '/v1/responses') return { format: responsesFormat };
  if (path === '/anthropic/v1/messages') return { format: anthropicFormat };
  const model = /^\/google\/v1(?:beta)?\/models\/(.+):generateContent$/.exec(path)?.[1];
  return model ? { format: googleFormat, model: decodeURIComponent(model) } : undefined;
}

/** The format of the other responses of a host, such as its list of models. */
export const formatOfHost = (path: string): Format | undefined =>
  path.startsWith('/anthropic/') ? anthropicFormat : path.startsWith('/google/') ? googleFormat : undefined;

/**
 * Translates a response into another format. A body that is not JSON (a proxy's page, half a body) stays unchanged.
 */
export function inFormat(format: Format | undefined, plan: ResponsePlan): ResponsePlan {
  if (!format || plan.do !== 'send') return plan;
  try {
    const body = parseJson(plan.body.toString());
    if (!isObject(body) || !(isObject(body.error) || Array.isArray(body.choices))) return plan;
    const headers = { ...plan.headers };
    const status = format.statusOf?.(plan.status) ?? plan.status;
    return { ...plan, status, body: JSON.stringify(format.write(body, plan.status, headers, plan.usage)), headers };
  } catch {
    return plan;
  }
}
