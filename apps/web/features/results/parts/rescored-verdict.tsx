import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rescoresQuery } from '../../runs/api';
import type { ResultsSearch } from '../address';
import { errorWord } from '../filter-words';
import { resultQuery, type Result } from '../api';

interface Props {
  runId: string;
  result: Result;
  /** With a rescore. */
  search: ResultsSearch;
}

/** What made a verdict that is not the run's own, and what that one is. */
export function RescoredVerdict({ runId, result, search: { rescore, ...search } }: Props) {
  const { data: own } = useSuspenseQuery(resultQuery(runId, result.id));
  const { items } = useSuspenseQuery(rescoresQuery(runId)).data;
  const version = items.find(({ id }) => id === rescore)?.suite_version;
  const by = version === undefined ? 'in a rescore' : `with version ${version} of the suite`;
  return (
    <p>
      {result.unmatched ? `Not scored ${by}: it asks or does something else here.` : `Scored ${by}.`} As run:{' '}
      {own.passed ? 'passed' : errorWord(own.error_type)}.{' '}
      <Link to="/runs/$runId/results/$resultId" params={{ runId, resultId: result.id }} search={search}>
        Show as run
      </Link>
    </p>
  );
}
