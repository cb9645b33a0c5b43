import type { ApiClient } from '#lib/client/api-client';
import type { PromptCandidate } from '#lib/prompt-tune/contract';
import type { ComponentDiff, PromptDiff } from '#lib/contracts/prompt-version';
import { tunePath } from './find-tune.js';

/** A candidate without its texts: those of thousands may not fit in memory. */
export interface LeanCandidate extends Omit<PromptCandidate, 'changed' | 'runs'> {
  /** The components that differ from its first parent. */
  changed: string[];
}

export const candidatesPath = (tuneId: string): string => `${tunePath('prompt_tune', tuneId)}/candidates`;

export const leanCandidate = ({ changed, runs: _runs, ...candidate }: PromptCandidate): LeanCandidate => ({
  ...candidate,
  changed: Object.keys(changed),
});

/** Every candidate of a prompt tune, in the order of creation. */
export async function readCandidates(client: ApiClient, tuneId: string): Promise<LeanCandidate[]> {
  const candidates: LeanCandidate[] = [];
  for await (const candidate of client.all<PromptCandidate>(candidatesPath(tuneId)))
    candidates.push(leanCandidate(candidate));
  return candidates;
}

/** A candidate's changes, word by word. @param to the candidate to compare with; its first parent by default */
export async function readChanges(
  client: ApiClient,
  tuneId: string,
  candidate: number,
  to?: number,
): Promise<ComponentDiff[]> {
  const query = to === undefined ? '' : `?to=${to}`;
  const diff = await client.call<PromptDiff>('GET', `${candidatesPath(tuneId)}/${candidate}/diff${query}`);
  return diff.components;
}
