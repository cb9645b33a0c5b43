import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { RunMetric } from '#lib/contracts/metric';
import { errorWord, type ResultsSearch } from '../../address';
import { resultQuery, type ResultWithExchange } from '../../api/results';
import { runQuery } from '../../../runs/api/runs';
import { Calls } from '../../parts/calls';
import { CopiedId } from '../../../../ui/copied-id';
import { Exchange } from '../../parts/exchange';
import { ErrorNotice } from '../../../../ui/error-notice';
import { Folded } from '../../../../ui/folded';
import { UserText, UserBlock, UserLine } from '../../../../ui/user-text';
import { Chain, Metrics, SchemaProblems } from '../../parts/result-details';
import { ModelReply } from '../../parts/model-reply';
import { Skeleton } from '../../../../ui/skeleton';
import { Verdict } from '../../parts/verdict';
import { Explanation } from '../../parts/explanation';
import { NeighbourLinks } from './neighbour-links';
import { Facts } from './facts';
import { ResultJudgements } from './result-judgements';
import { SameCase } from './same-case';
import './result.css';

const ROUTE = '/signed-in/runs/$runId/results/$resultId';

/** One result and the reasons of its verdict. It opens next to its list. */
export function ResultScreen() {
  const { runId, resultId } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const { data, error, isPending, refetch } = useQuery(resultQuery(runId, resultId, search.rescore));
  const pane = useRef<HTMLElement>(null);
  // Keyboard use continues from here, whichever row or button led here.
  useEffect(() => {
    pane.current?.focus({ preventScroll: true });
    if (pane.current) pane.current.scrollTop = 0;
  }, [resultId]);
  return (
    <section className="result" aria-label="Result" tabIndex={-1} ref={pane}>
      <NeighbourLinks {...{ runId, resultId, search }} />
      {isPending ? (
        <Skeleton rows={12} />
      ) : data ? (
        <Shown key={resultId} {...{ runId, search }} result={data} />
      ) : (
        <ErrorNotice error={error} retry={refetch} />
      )}
    </section>
  );
}

interface ShownProps {
  runId: string;
  result: ResultWithExchange;
  search: ResultsSearch;
}

function Shown({ runId, result, search }: ShownProps) {
  const { data: run } = useQuery(runQuery(runId));
  const { metrics: asked = [] } = (run?.config ?? {}) as { metrics?: RunMetric[] };
  return (
    <>
      <Head result={result} suiteId={run?.suite.id} />
      <Explanation result={result} />
      <ModelReply result={result} />
      <Calls result={result} />
      <ResultJudgements runId={runId} result={result} />
      <section aria-label="Details">
        <SchemaProblems result={result} />
        <Chain result={result} />
        <Metrics result={result} asked={asked} />
        <Folded title="Cost, latency and tokens">{() => <Facts result={result} />}</Folded>
        <Exchange result={result} />
      </section>
      {run && <SameCase suiteId={run.suite.id} {...{ runId, result, search }} />}
    </>
  );
}

const score = (value: number | null): string => (value === null ? 'none' : `${(value * 100).toFixed(1)} %`);

function Head({ result, suiteId }: { result: ResultWithExchange; suiteId: string | undefined }) {
  const { case_id: caseId, case_name: name, prompt, target, sample, category } = result;
  return (
    <header className="result-head">
      <h2>
        <UserText text={name ?? 'Unnamed case'} max={300} />
      </h2>
      <div className="actions">
        <Verdict of={result} />
        {result.error_type !== 'none' && <span>{errorWord(result.error_type)}</span>}
        {result.outcome === 'scored' && (
          <span>
            score {score(result.overall)}: tool {score(result.tool_score)}, arguments {score(result.param_score)}
          </span>
        )}
      </div>
      <UserLine text={target} />
      <p className="muted small">
        Sample {sample + 1}
        {category !== null && (
          <>
            , category <UserText text={category} max={100} />
          </>
        )}
        {suiteId !== undefined && (
          <>
            {', '}
            <Link to="/suites/$suiteId/cases/$caseId" params={{ suiteId, caseId }}>
              current case
            </Link>
          </>
        )}{' '}
        <CopiedId id={caseId} what="case" />
      </p>
      <div className="prompt">
        <UserBlock text={prompt} />
      </div>
    </header>
  );
}
