import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { use, useEffect, useRef, type ReactNode } from 'react';
import type { RunMetric } from '#lib/contracts/metric';
import { syntaxName } from '#lib/contracts/values/verdicts';
import { Folded } from '../../../ui/details';
import { useKeys } from '../../../ui/keys';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { duration, Time } from '../../../ui/time';
import { UserBlock, UserText } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { runQuery } from '../../runs/api';
import { errorWord, type ResultsSearch } from '../address';
import { neighboursQuery, resultQuery, resultsOfCaseQuery, type Result, type ResultWithExchange } from '../api';
import { Calls } from '../parts/calls';
import { CaseHistory } from '../parts/case-history';
import { Exchange } from '../parts/exchange';
import { Chain, Explanation, Metrics, ModelReply, SchemaProblems, share } from '../parts/result-details';
import { RescoredVerdict } from '../parts/rescored-verdict';
import { Verdict, verdictOf, VerdictMark } from '../parts/verdict';
import { PlaceInList } from './list-place';
import { ResultJudgements } from './result-judgements';
import css from './results.module.css';

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
  const { suite, config } = useSuspenseQuery(runQuery(runId)).data;
  const { metrics: asked = [] } = (config ?? {}) as { metrics?: RunMetric[] };
  return (
    <>
      <Head result={result} suiteId={suite.id} />
      {search.rescore !== undefined && (
        <QueryBoundary rows={1}>
          <RescoredVerdict {...{ runId, result, search }} />
        </QueryBoundary>
      )}
      <Explanation result={result} />
      <ModelReply result={result} />
      <Calls result={result} />
      <section aria-label="Details">
        <SchemaProblems result={result} />
        <Chain result={result} />
        <Metrics result={result} asked={asked} />
        <Folded title="Cost, latency and tokens">{() => <Facts result={result} />}</Folded>
        <Exchange result={result} />
      </section>
      <ResultJudgements runId={runId} result={result} />
      <SameCase suiteId={suite.id} {...{ runId, result, search }} />
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

const score = (value: number | null): string => (value === null ? 'none' : `${(value * 100).toFixed(1)} %`);

function Head({ result, suiteId }: { result: ResultWithExchange; suiteId: string }) {
  const { case_id: caseId, case_name: name, prompt, target, sample, category } = result;
  return (
    <header className={css.stack}>
      <h2>
        <UserText text={name ?? 'Unnamed case'} max={300} />
      </h2>
      <div className="actions">
        <Verdict of={result} />
        {result.error_type !== 'none' && !result.unmatched && <span>{errorWord(result.error_type)}</span>}
        {result.outcome === 'scored' && (
          <span>
            score {score(result.overall)}: tool {score(result.tool_score)}, arguments {score(result.param_score)}
          </span>
        )}
      </div>
      <ModelName target={target} />
      <p className="muted small">
        {sample > 0 && `Sample ${sample + 1}, `}
        {category !== null && (
          <>
            <UserText text={category} max={100} />
            {', '}
          </>
        )}
        <Link to="/suites/$suiteId/cases/$caseId" params={{ suiteId, caseId }}>
          current case
        </Link>
      </p>
      <div className={css.prompt}>
        <UserBlock text={prompt} />
      </div>
    </header>
  );
}

interface SameCaseProps extends Omit<Props, 'resultId'> {
  suiteId: string;
  result: ResultWithExchange;
}

/** Other results of the case: other samples and models in this run, and earlier runs. */
function SameCase({ runId, suiteId, result, search }: SameCaseProps) {
  return (
    <section aria-labelledby="same-title">
      <h2 id="same-title">The same case</h2>
      <QueryBoundary rows={2}>
        <InThisRun {...{ runId, result, search }} />
      </QueryBoundary>
      <Folded title="In all runs">{() => <CaseHistory suiteId={suiteId} caseId={result.case_id} />}</Folded>
    </section>
  );
}

function InThisRun({ runId, result, search }: Omit<SameCaseProps, 'suiteId'>) {
  const { items, next_cursor: next } = useSuspenseQuery(resultsOfCaseQuery(runId, result.case_id)).data;
  const byModel = Map.groupBy(items, ({ target }) => target);
  return (
    <>
      <ul className={css.sameCase}>
        {[...byModel].map(([model, samples]) => (
          <li key={model}>
            <ModelName target={model} />
            <span className="actions">
              {samples.map((sample) => (
                <SampleLink key={sample.id} {...{ runId, sample, search }} isThis={sample.id === result.id} />
              ))}
            </span>
          </li>
        ))}
      </ul>
      {next !== null && <p className="muted small">Only the first {items.length} results are shown.</p>}
    </>
  );
}

interface SampleLinkProps extends Omit<Props, 'resultId'> {
  sample: Result;
  isThis: boolean;
}

function SampleLink({ runId, sample, search, isThis }: SampleLinkProps) {
  const word = verdictOf(sample);
  return (
    <Link
      className="button dense"
      to="/runs/$runId/results/$resultId"
      params={{ runId, resultId: sample.id }}
      search={search}
      aria-current={isThis ? 'true' : undefined}
      aria-label={`Sample ${sample.sample + 1} of ${sample.target}, ${word}${isThis ? ', this one' : ''}`}
    >
      <VerdictMark word={word} /> {sample.sample + 1}
    </Link>
  );
}

const orUnknown = (value: number | null, text: (value: number) => string): string =>
  value === null ? 'unknown' : text(value);

/** The usage of a result, and the settings of its request. What it does not have is left out. */
function Facts({ result }: { result: ResultWithExchange }) {
  const { usage, evidence, cost_usd: cost, syntax } = result;
  const cached = [
    [usage.cache_read_tokens, 'read'],
    [usage.cache_write_5m_tokens, 'written for 5 minutes'],
    [usage.cache_write_1h_tokens, 'written for an hour'],
  ] as const;
  const adjusted = Object.entries(result.exchange?.adjusted ?? {});
  const { precision, recall, f1 } = evidence ?? {};
  const facts: [string, ReactNode][] = [
    ['Answered by', result.cached ? 'a stored reply' : 'the model'],
    ['Latency', orUnknown(result.latency_ms, duration)],
    ['Requests', result.attempts],
    ['Tokens', `${orUnknown(usage.prompt_tokens, count)} in, ${orUnknown(usage.completion_tokens, count)} out`],
    ['Provider cache', cached.flatMap(([tokens, what]) => (tokens ? [`${count(tokens)} ${what}`] : [])).join(', ')],
    ['Reasoning', usage.reasoning_tokens ? `${count(usage.reasoning_tokens)} tokens` : ''],
    ['Cost', `${orUnknown(cost, costText)}${result.cost_reported ? ', as reported by the provider' : ''}`],
    ['Tool choice sent', result.tool_choice_used ?? 'none'],
    ['Call format', result.format_compliance ?? 'no reply'],
    ['Scoring version', result.scoring_version],
    ['Settled', <Time key="settled" at={result.settled_at} />],
    ['Adjusted settings', adjusted.map(([setting, sent]) => `${setting}: ${sent}`).join(', ')],
    ['Calls in the text', syntax != null ? syntaxName(syntax) : ''],
    ['Calls', typeof f1 === 'number' ? `precision ${share(precision)}, recall ${share(recall)}, F1 ${share(f1)}` : ''],
  ];
  return (
    <dl className={css.numbers}>
      {facts.map(
        ([name, value]) =>
          value !== '' && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const costText = (cost: number): string => `$${cost === 0 ? '0' : cost.toFixed(6).replace(/0{1,4}$/, '')}`;
