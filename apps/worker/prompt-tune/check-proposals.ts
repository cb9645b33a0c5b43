import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Tool } from '#lib/contracts/tool';
import type { StoredPromptTune, StoredProposal } from '#lib/prompt-tune/rows/stored-search';
import { parseCase, pinnedPages } from '#lib/db/read/pinned-cases';
import { expectedStrings, findFault, LeakIndex, promptOf } from '#lib/prompt-tune/checks';
import type { ProposedTexts } from '#lib/prompt-tune/read-proposals';
import type { PromptTuneContext } from './tune-context.js';

/** Checks what a meta model wrote before it is tried. */
export class ProposalChecker {
  constructor(
    readonly tune: StoredPromptTune,
    readonly leaks: LeakIndex,
  ) {}

  async check(written: readonly ProposedTexts[]): Promise<StoredProposal[]> {
    const checked: StoredProposal[] = [];
    for (const { texts, why } of written) {
      await setImmediate();
      checked.push({ texts, why, fault: this.#faultOf(texts) });
    }
    return checked;
  }

  #faultOf(texts: ProposedTexts['texts']): string | null {
    const { base, asked } = this.tune;
    for (const [component, text] of Object.entries(texts)) {
      const proposed = { component, text, base: base[component]! };
      const fault = findFault(proposed, { leaks: this.leaks, maxGrowth: asked.max_growth });
      if (fault) return Object.keys(texts).length > 1 ? `${component}: ${fault.text}` : fault.text;
    }
    return null;
  }
}

/** A tune reads its meta model's texts repeatedly, against the same cases. An index has up to 256 MiB. */
const indexes = new LRUCache<string, LeakIndex>({
  maxSize: 256 * 2 ** 20,
  sizeCalculation: ({ bytes }) => bytes,
  ttl: 10 * 60_000,
});

/** @param tools those of the suite version */
export async function checkerOf(
  { pool, orchestration: { id: tuneId }, tune, signal }: PromptTuneContext,
  tools: readonly Tool[],
): Promise<ProposalChecker> {
  let leaks = indexes.get(tuneId);
  if (!leaks) {
    leaks = new LeakIndex();
    const { versionId } = tune.suite;
    for await (const page of pinnedPages(pool, versionId, []))
      for (const { body } of page) {
        const input = parseCase(body);
        leaks.addCase({ prompt: promptOf(input), expected: expectedStrings(input) });
        await setImmediate(undefined, { signal });
      }
    for (const text of [JSON.stringify(tools), ...Object.values(tune.base), ...Object.values(tune.fixed)])
      leaks.addKnown(text);
    indexes.set(tuneId, leaks);
  }
  return new ProposalChecker(tune, leaks);
}
