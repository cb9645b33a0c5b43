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

/**
 * What a stored round took and cost. Nothing else of it is parsed: something in it may be what its process died of.
 * @returns undefined when it cannot be read
 */
export async function readAccount(packed: Buffer): Promise<Account | undefined> {
  try {
    const json = (await exchangeJson(packed))!;
    const at = json.lastIndexOf(LAST_MEMBER); // `packExchange` prints it last.
    return parseJson(json.toString('utf8', at + LAST_MEMBER.length, json.length - 1)) as unknown as Account;
  } catch {
    return undefined;
  }
}
const LAST_MEMBER = '"account":';

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
