import type { CaseInput } from '#lib/contracts/case';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import type { Tool } from '#lib/contracts/tool';
import { createChatClient } from '#lib/providers/chat';
import type { Endpoint, Fetch } from '#lib/providers/dialects/dialect';
import { suiteNamesByWireName } from '#lib/providers/formats/formats';
import { playCase, type PlayedCase } from '../apps/worker/items/play-case.js';
import { playConversation, sumOf } from '../apps/worker/items/play-conversation.js';
import { prepare } from '../apps/worker/scoring/prepare-case.js';
import type { HeldReply, Reply } from '../apps/worker/scoring/exchange.js';
import { playRound, runTools } from '../apps/worker/scoring/scoring-work.js';
import type { AskOptions } from '../apps/worker/items/ask-model.js';

/** Plays a case as a worker does, with the real client, but without queue, budget and database. */
export function playAlone(
  { kind, fetch, ...endpoint }: Endpoint & { kind: ProviderKind; fetch: Fetch },
  { input, tools, params }: { input: CaseInput; tools: readonly Tool[]; params: JsonObject },
  options: Pick<AskOptions, 'onRefusal'> = {},
): Promise<PlayedCase> {
  const messages = (input.messages ?? [{ role: 'user', content: input.prompt! }]) as unknown as Json[];
  const body: JsonObject = { ...params, messages, tools: tools as unknown as Json, tool_choice: 'required' };
  const prepared = prepare(input, null, tools, 0.5);
  const names = suiteNamesByWireName(kind, body.tools);
  const chat = createChatClient(kind, endpoint, fetch);
  const model = { chat, kind, learned: {}, lane: { id: 'lane' }, rerouted: new AbortController().signal };
  const permits = { acquire: async () => ({ id: 'permit', tokens: 0 }), release: async () => false };
  const asked: AskOptions = {
    ...options,
    model: async () => model as never,
    permits: () => permits,
    body,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    item: 'item',
    name: 'provider::model',
  };
  const readHere = (reply: HeldReply): Reply => ({ ...reply, message: reply.message as JsonObject, names });
  if (input.conversation)
    return playConversation(asked, {
      conversation: input.conversation,
      kept: [],
      answer: async (reply, soFar) => playRound(prepared, readHere(reply), soFar),
      store: async () => sumOf([]),
    });
  return playCase(prepared, asked, async (reply, callCounts) => runTools(prepared, readHere(reply), callCounts));
}
