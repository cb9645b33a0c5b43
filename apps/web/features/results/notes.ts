import type { Page } from '#lib/contracts/page';
import type { ResultNote } from '#lib/contracts/result-note';
import type { Sent } from '../../api/action';
import { client } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { onePathOf, type Result } from './api';

// What the team notes on results. The first view does without.

export interface NotedResult {
  runId: string;
  resultId: string;
  text: string;
}

/** Writes the team's note on a result, or removes it if the text is empty. */
export async function writeNote({ runId, resultId, text }: NotedResult, options: Sent): Promise<ResultNote | null> {
  const path = `${onePathOf(runId, resultId)}/note`;
  if (text !== '') return client.call<ResultNote>('PUT', path, { text }, options);
  await client.call('DELETE', path, undefined, options);
  return null;
}

/** Shows a changed note wherever the result is shown: its lists are not read again. */
export function showNote({ runId, resultId }: NotedResult, note: ResultNote | null): void {
  queryClient.setQueriesData<Result | Page<Result>>({ queryKey: keys.results(runId) }, (read) => {
    const withNote = (one: Result): Result => (one.id === resultId ? { ...one, note } : one);
    if (read === undefined || !('items' in read)) return read && 'target' in read ? withNote(read) : read;
    return { ...read, items: read.items.map(withNote) };
  });
}
