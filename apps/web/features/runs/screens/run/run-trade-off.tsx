import { useSearch } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { CostQuality } from '../../parts/cost-quality';
import { tradesOf, tradeWords } from '../../parts/trade-off';

/** What the models of a run score for what they cost. */
export function RunTradeOff({ run: { id: runId, summaries, top } }: { run: Run }) {
  const search = useSearch({ from: '/signed-in/runs/$runId' });
  return (
    <CostQuality
      sides={[{ runId, summaries }]}
      asked={search.against}
      answer={(axis, nameOf) => tradeWords(tradesOf(summaries, axis), top?.targets ?? [], axis, nameOf)}
      linkTo={(axis) => ({ to: '/runs/$runId', params: { runId }, search: { ...search, against: axis } })}
    />
  );
}
