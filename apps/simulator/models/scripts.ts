import type { ScriptedReply, Script } from './script.js';
import type { ModelRequest } from './model-request.js';
import type { TokenUsage } from '../ledger.js';
import { errorResponse, jsonResponse, type ResponsePlan, type Call, type Reply } from '../formats/chat-completions.js';

const list = (value: unknown): ScriptedReply[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]) as ScriptedReply[];

type CompletionOf = (asked: ModelRequest, reply: Reply) => { body: Record<string, unknown>; usage: TokenUsage };

/** @throws Error that describes the fault in the posted script */
export function readScript(body: unknown): Script {
  const { replies, by_prompt: byPrompt } = (body ?? {}) as { replies?: unknown; by_prompt?: unknown };
  const isMap = typeof byPrompt === 'object' && byPrompt !== null && !Array.isArray(byPrompt);
  if (!Array.isArray(replies) && !isMap)
    throw new Error('A script is {"replies": [message, ...]} or {"by_prompt": {"<prompt>": message, ...}}.');
  return {
    replies: list(replies),
    byPrompt: new Map(Object.entries(isMap ? byPrompt : {}).map(([prompt, reply]) => [prompt.trim(), list(reply)])),
    given: 0,
    givenByPrompt: new Map(),
  };
}

export function nextScriptedReply(asked: ModelRequest, completionOf: CompletionOf): ResponsePlan {
  const { script } = asked.state;
  const name = asked.request.model;
  if (!script)
    return errorResponse(
      400,
      `Model "${name}" has no script. Post one to /control/scripted/${encodeURIComponent(name)}.`,
      'no_script',
    );
  const forPrompt = script.byPrompt.get(asked.userText);
  const replies = forPrompt ?? script.replies;
  const given = forPrompt ? (script.givenByPrompt.get(asked.userText) ?? 0) : script.given;
  if (forPrompt) script.givenByPrompt.set(asked.userText, given + 1);
  else script.given++;
  const scripted = replies[Math.min(given, replies.length - 1)];
  if (!scripted) return errorResponse(400, `The script of "${name}" has no reply to this prompt.`, 'no_script');
  return planOf(scripted, asked, completionOf);
}

function planOf(scripted: ScriptedReply, asked: ModelRequest, completionOf: CompletionOf): ResponsePlan {
  const { status = 200, headers, body, delay_ms: delayMs = 0 } = scripted;
  const delayed = (plan: ResponsePlan): ResponsePlan => (plan.do === 'send' ? { ...plan, delayMs } : plan);
  if (typeof body === 'string') return { do: 'send', status, headers: headers ?? {}, body, delayMs };
  if (body !== undefined) return delayed(jsonResponse(status, body, headers));
  if (status >= 400) return delayed(errorResponse(status, `Scripted ${status}.`, null, headers ? { headers } : {}));
  const message = {
    role: 'assistant',
    content: null,
    ...(scripted.message ?? {
      content: scripted.content ?? null,
      ...(scripted.tool_calls && { tool_calls: scripted.tool_calls }),
    }),
  };
  const calls: Call[] = (message.tool_calls ?? []).map((call) => ({
    name: String(call.function?.name),
    arguments: JSON.stringify(call.function?.arguments ?? ''),
  }));
  const { body: whole, usage } = completionOf(asked, {
    content: typeof message.content === 'string' ? message.content : null,
    calls,
  });
  const choice = (whole.choices as Record<string, unknown>[])[0]!;
  choice.message = message;
  if (scripted.finish_reason) choice.finish_reason = scripted.finish_reason;
  if (scripted.usage) return delayed(jsonResponse(status, { ...whole, usage: scripted.usage }, headers));
  return delayed({ ...jsonResponse(status, whole, headers), usage });
}
