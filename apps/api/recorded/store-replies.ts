import { MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import { ProblemError, type InputError } from '#lib/contracts/input/problem';
import { keepStoring } from '#lib/db/catalogue/quotas';
import type { Pool } from '#lib/db/connection/pool';
import { storeRecordedReplies, type RecordedReply, type Recording } from '#lib/db/engine/record-run';
import type { TextStream } from '#lib/imports/source/text-stream';
import type { SuiteThreads } from '../threads/suite-threads.js';
import { faultOf, refusal } from '../threads/recorded-faults.js';
import { lineBatches } from './line-batches.js';
import { ReplyPlacement, type PlacementSummary } from './reply-placement.js';

export interface StoredReplies extends PlacementSummary {
  replies: number;
  /** Number of replies by detected shape. */
  readAs: Record<string, number>;
}

/**
 * Reads recorded replies as they arrive, and stores them in batches. Memory does not grow with their number, and no
 * connection to Postgres waits for the sender.
 * @throws ProblemError 422 with every fault of the replies, by line; 409 once the team would store more than it may
 */
export async function storeReplies(
  { pool, suiteThreads }: { pool: Pool; suiteThreads: SuiteThreads },
  teamId: string,
  recording: Recording,
  incoming: TextStream,
): Promise<StoredReplies> {
  const placement = await ReplyPlacement.load(pool, teamId, recording);
  const readAs = new Map<string, number>();
  const faults: InputError[] = [];
  let replies = 0;
  let written = 0;
  for await (const { from, lines } of lineBatches(incoming)) {
    const batch = await suiteThreads.run(teamId, { what: 'read-recorded', from, lines });
    const placed: RecordedReply[] = [];
    for (const line of batch.read) {
      const reply = await placement.place(line);
      if ('fault' in reply) faults.push(faultOf(line.line, reply.fault));
      else placed.push(reply);
      readAs.set(line.readAs, (readAs.get(line.readAs) ?? 0) + 1);
    }
    replies += batch.read.length;
    faults.push(...batch.faults);
    if (faults.length >= MAX_INPUT_ERRORS) break;
    written += placed.reduce((bytes, { exchange }) => bytes + exchange.byteLength, 0);
    if (placed.length) await keepStoring(pool, teamId, written);
    // After a fault the remaining lines are only checked. An empty batch keeps the recording from being abandoned.
    await storeRecordedReplies(pool, recording, faults.length ? [] : placed);
  }
  if (faults.length) throw refusal(faults);
  if (replies === 0)
    throw new ProblemError(
      422,
      'The lines contain no reply. Send one object per line: {"case": "...", "reply": ...}.',
      [{ path: '/replies', message: 'is empty' }],
    );
  return { replies, readAs: Object.fromEntries(readAs), ...placement.summary() };
}
