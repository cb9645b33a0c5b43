import type { ProviderKind } from '#lib/contracts/provider';
import { isObject, parseJson } from '#lib/contracts/json/json';
import type { Format } from './format.js';
import { anthropicFormat } from './anthropic.js';
import { googleFormat } from './google.js';
import { responsesFormat } from './openai-responses.js';
import type { ResponsePlan } from './chat-completions.js';

/** Every format except chat completions, which the models speak natively. */
export const FORMATS: Record<Exclude<ProviderKind, 'openai'>, Format> = {
  'openai-responses': responsesFormat,
  anthropic: anthropicFormat,
  google: googleFormat,
};
const formats = Object.values(FORMATS);

/** The format of a path, and the model if the path contains it. */
export function formatOf(path: string): { format: Format; model?: string } | undefined {
  for (const format of formats) {
    const found = format.path.exec(path);
    if (found) return { format, ...(found[1] && { model: decodeURIComponent(found[1]) }) };
  }
  return undefined;
}

/** The format of a host's other responses, such as its model list. */
export const formatOfHost = (path: string): Format | undefined =>
  formats.find(({ host }) => host && path.startsWith(host));

/**
 * Translates a response into another format. A body that is not JSON (a proxy's page, half a body) is left unchanged.
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
