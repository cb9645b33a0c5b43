import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { use, useEffect, useRef } from 'react';
import type { RunMetric } from '#lib/contracts/metric';
import { Folded } from '../../../ui/details';
import { useKeys } from '../../../ui/keys';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { runQuery } from '../../runs/api';
import type { ResultsSearch } from '../address';
import { errorWord } from '../filter-words';
import { neighboursQuery, resultQuery, type ResultWithExchange } from '../api';
import { Answered } from '../parts/answered';
import { Clamped } from '../parts/clamped';
import { Exchange } from '../parts/exchange';
import { Facts, factsTitle } from '../parts/facts';
import { Chain, Explanation, ResultPart, SchemaProblems } from '../parts/result-details';
import { Metrics } from '../parts/metrics';
import { RescoredVerdict } from '../parts/rescored-verdict';
import { Verdict } from '../parts/verdict';
import { PlaceInList } from './list-place';
import { ResultBar } from './result-bar';
import { ResultJudgements } from './result-judgements';
import css from './results.module.css';
import { SameCase } from './same-case';

const ROUTE = '/signed-in/runs/$runId/results/$resultId';

/** One result and the reasons of its verdict. It opens next to its list. */
export function ResultScreen() {
  const { runId, resultId } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const pane = useRef<HTMLElement>(null);
  // Keyboard use continues from here, whichever row or button led here.
  useEffect(() => {
    pane.current?.focus({ preventScroll: true });
    if (pane.current) pane.current.scrollTop = 0;
  }, [resultId]);
  return (
    <section className={css.result} aria-label="Result" tabIndex={-1} ref={pane}>
      <NeighbourLinks {...{ runId, resultId, search }} />
      <QueryBoundary key={resultId} rows={12}>
        <Shown {...{ runId, resultId, search }} />
      </QueryBoundary>
    </section>
  );
}

interface Props {
  runId: string;
  resultId: string;
  search: ResultsSearch;
}

function Shown({ runId, resultId, search }: Props) {
  const { data: result } = useSuspenseQuery(resultQuery(runId, resultId, search.rescore));
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const { suite, config } = run;
  const { metrics: asked = [] } = (config ?? {}) as { metrics?: RunMetric[] };
  return (
    <>
      <ResultHead result={result} suiteId={suite.id} />
      {search.rescore !== undefined && (
        <QueryBoundary rows={1}>
          <RescoredVerdict {...{ runId, result, search }} />
        </QueryBoundary>
      )}
      <Explanation result={result} />
      <ResultBar key={resultId} run={run} result={result} />
      <ResultPart title="Prompt">
        <div className={css.prompt}>
          <Clamped text={result.prompt} what="prompt" />
        </div>
      </ResultPart>
      <Answered result={result} />
      <SameCase suiteId={suite.id} {...{ runId, result, search }} />
      <section aria-label="Details">
        <Folded title={factsTitle(result)}>{() => <Facts result={result} />}</Folded>
        <SchemaProblems result={result} />
        <Chain result={result} />
        <Metrics result={result} asked={asked} />
        <ResultJudgements runId={runId} result={result} />
        <Exchange result={result} />
      </section>
    </>
  );
}

/** The results before and after this one in the list, and the nearest failures. */
function NeighbourLinks({ runId, resultId, search }: Props) {
  const { data: neighbours } = useQuery(neighboursQuery(runId, resultId, search));
  // While the next result is on its way, its neighbours are not known.
  const isLeaving = useRouterState({ select: ({ isLoading }) => isLoading });
  const data = isLeaving ? undefined : neighbours;
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
      <Place />
    </nav>
  );
}

/** "3 of 37" */
function Place() {
  const place = use(PlaceInList);
  if (!place) return null;
  const { position, total } = place;
  return (
    <span className="muted small" role="status">
      {count(position)}
      {total !== undefined && ` of ${count(total)}`}
    </span>
  );
}

/** Which case and model, and the verdict. */
function ResultHead({ result, suiteId }: { result: ResultWithExchange; suiteId: string }) {
  const { case_id: caseId, case_name: name, target, sample, category } = result;
  return (
    <header className={css.head}>
      <div>
        <h2>
          <UserText text={name ?? 'Unnamed case'} max={300} />
        </h2>
        <Verdict of={result} />
        {result.error_type !== 'none' && !result.unmatched && <span>{errorWord(result.error_type)}</span>}
        {result.overall !== null && <span className="muted">{(result.overall * 100).toFixed(0)} %</span>}
      </div>
      <div className="small">
        <ModelName target={target} />
        {category !== null && <UserText text={category} max={100} />}
        {sample > 0 && <span>sample {sample + 1}</span>}
        <Link to="/suites/$suiteId/cases/$caseId" params={{ suiteId, caseId }}>
          current case
        </Link>
      </div>
    </header>
  );
}
