import type { JsonObject } from '#lib/contracts/json/json';
import type { PlayedRound } from '#lib/contracts/conversation-played';
import { parseJson } from '#lib/contracts/json/json';
import type { Account } from '#lib/db/engine/store-rounds';
import { exchangeJson } from '#lib/db/read/stored-exchange';
import { storedReplies } from '#lib/providers/formats/stored-reply';
import { runSerially } from '#lib/runtime/threads/large-work';
import type { Exchange } from '../../scoring/exchange.js';
import { markFailed, type KeptRound } from '../play-conversation.js';

type StoredRound = Exchange & { conversation: [PlayedRound]; next: JsonObject[]; account: Account };

/** A stored round of a conversation, to go on from it. */
export async function readRound(packed: Buffer): Promise<KeptRound> {
  const json = (await exchangeJson(packed))!;
  const stored = await runSerially(() => parseJson(json.toString('utf8')) as unknown as StoredRound, json.length);
  const { conversation, next, account } = stored;
  const [played] = conversation;
  const { message, finishReason } = storedReplies(stored)![0]!;
  return {
    reply: { message, finishReason },
    played,
    next: played.user === null ? markFailed(next, played.calls) : next,
    account,
  };
}
