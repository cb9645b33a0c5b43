import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Comparison } from '#lib/contracts/comparison';
import { sidesOf, type CompareSearch } from '../address';
import { comparisonsQuery } from '../api';
import { Skeleton } from '../../../ui/skeleton';
import { ComparedPairs } from './compared-pairs';
import { ChosenRuns } from './chosen-runs';
import { ComparedSettings } from './compared-settings';
import { ComparisonFigures } from './comparison-figures';
import { GroupedFigures } from './grouped-figures';
import { RunsAgainstBaseline } from './runs-against-baseline';
import { ChangedSettings } from './changed-settings';
import './compare.css';

/** Whether a run is really better than another, on which cases, and how certain that is. */
export function CompareScreen() {
  const search = useSearch({ from: '/signed-in/compare' });
  const isReady = sidesOf(search) !== undefined;
  return (
    <>
      <h1>Compare runs</h1>
      <ChosenRuns search={search} />
      {isReady && <Comparisons search={search} />}
    </>
  );
}

function Comparisons({ search }: { search: CompareSearch }) {
  const read = useQuery(comparisonsQuery(search));
  const { data, isPending } = read;
  return (
    <>
      <ComparedSettings search={search} />
      {isPending && <Skeleton rows={12} label="Comparing" />}
      {data && data.length > 1 && <RunsAgainstBaseline comparisons={data} search={search} />}
      {data && <OneComparison comparison={data.find(({ b }) => b.id === search.other) ?? data[0]!} search={search} />}
    </>
  );
}

/** One run against the baseline: first what may be claimed, then where to look. */
function OneComparison({ comparison, search }: { comparison: Comparison; search: CompareSearch }) {
  return (
    <>
      <ComparisonFigures comparison={comparison} search={search} />
      <GroupedFigures comparison={comparison} search={search} />
      <ComparedPairs comparison={comparison} search={search} />
      <ChangedSettings comparison={comparison} />
    </>
  );
}
