import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ResultsSearch } from '../../address';
import { neighboursQuery } from '../../api/results';
import { useKeys } from '../../../../ui/keys';

interface NeighbourLinksProps {
  runId: string;
  resultId: string;
  search: ResultsSearch;
}

/** The results before and after this one in the list, and the nearest failures. */
export function NeighbourLinks({ runId, resultId, search }: NeighbourLinksProps) {
  const { data } = useQuery(neighboursQuery(runId, resultId, search));
  const navigate = useNavigate();
  const toList = (): void => void navigate({ to: '/runs/$runId/results', params: { runId }, search });
  const to = (id: string | null | undefined) => (): void => {
    if (id) void navigate({ to: '/runs/$runId/results/$resultId', params: { runId, resultId: id }, search });
  };
  useKeys({
    Escape: toList,
    j: to(data?.next),
    k: to(data?.previous),
    n: to(data?.next_failure),
    p: to(data?.previous_failure),
  });
  const button = (label: string, key: string, id: string | null | undefined) => (
    <button type="button" className="dense" disabled={!id} title={key} onClick={to(id)}>
      {label}
    </button>
  );
  return (
    <nav className="actions" aria-label="Neighbouring results">
      {button('Previous', 'k', data?.previous)}
      {button('Next', 'j', data?.next)}
      {button('Previous failure', 'p', data?.previous_failure)}
      {button('Next failure', 'n', data?.next_failure)}
      <Link className="button dense" to="/runs/$runId/results" params={{ runId }} search={search} title="Esc">
        Back to the list
      </Link>
    </nav>
  );
}
