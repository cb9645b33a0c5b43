import { useQueries } from '@tanstack/react-query';
import type { Comparison } from '#lib/contracts/comparison';
import { runQuery } from '../../runs/api';
import { CostQuality, type TradeSide } from '../../runs/parts/cost-quality';
import { sideOf, type CompareSearch } from '../address';
import { comparedTradeWords } from '../parts/compared-trade';

interface Props {
  /** The comparison that is shown. */
  comparison: Comparison;
  search: CompareSearch;
}

/** What the models of all runs score for what they cost. */
export function ComparedCosts({ comparison, search }: Props) {
  const { runs = [], pair } = search;
  const read = useQueries({ queries: runs.map((id) => ({ ...runQuery(id), retry: false })) });
  const pairs = pair === undefined ? undefined : new Set(pair.split('~'));
  const sides = runs.map((runId, index): TradeSide => {
    const summaries = read[index]?.data?.summaries ?? [];
    return {
      runId,
      letter: runs.length > 1 ? sideOf(index) : undefined,
      summaries: pairs ? summaries.filter(({ target }) => pairs.has(target)) : summaries,
    };
  });
  const shown = sides.findIndex(({ runId }) => runId === comparison.b.id);
  return (
    <CostQuality
      sides={sides}
      asked={search.against}
      answer={(axis) => comparedTradeWords(comparison, axis, sideOf(Math.max(1, shown)))}
      linkTo={(axis) => ({ to: '/compare', search: { ...search, against: axis } })}
    />
  );
}
