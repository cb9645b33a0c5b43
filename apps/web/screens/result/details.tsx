import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { RunMetric } from '#lib/contracts/metric';
import { metricsQuery } from '../../api/metrics';
import type { ResultWithExchange } from '../../api/results';
import { Given } from '../../parts/given';
import { JsonView } from '../../parts/json-view';
import { duration, Time } from '../../parts/time';

/** A part of a result that is folded, and not drawn until it is opened. */
export function Folded({ title, children }: { title: ReactNode; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="fold" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div className="fold-inner">{children()}</div>}
    </details>
  );
}

const orUnknown = (value: number | null, text: (value: number) => string): string =>
  value === null ? 'not known' : text(value);
const count = (value: number): string => value.toLocaleString('en');

/** What a result took, and how it was asked for. */
export function Facts({ result }: { result: ResultWithExchange }) {
  const { usage, evidence } = result;
  const facts: [string, ReactNode][] = [
    ['Answered by', result.cached ? 'a stored reply' : 'the model'],
    ['Latency', orUnknown(result.latency_ms, duration)],
    ['Requests', result.attempts],
    ['Tokens', `${orUnknown(usage.prompt_tokens, count)} in, ${orUnknown(usage.completion_tokens, count)} out`],
    ['Cost', orUnknown(result.cost_usd, (cost) => `$${cost === 0 ? '0' : cost.toFixed(6).replace(/0{1,4}$/, '')}`)],
    ['Tool choice sent', result.tool_choice_used ?? 'none was sent'],
    ['Format of calls', result.format_compliance ?? 'no reply'],
    ['Scoring version', result.scoring_version],
    ['Settled', <Time key="settled" at={result.settled_at} />],
  ];
  if (typeof evidence?.f1 === 'number') {
    const { precision, recall, f1 } = evidence;
    facts.push(['Calls', `precision ${share(precision)}, recall ${share(recall)}, F1 ${share(f1)}`]);
  }
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const share = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'none' : value.toFixed(2);

const FIRST_PROBLEMS = 100;

/** Where calls break the schema of their tool. */
export function SchemaProblems({ result: { evidence, called } }: { result: ResultWithExchange }) {
  const problems = evidence?.schema ?? [];
  if (problems.length === 0) return null;
  const line = ({ called: index, path, problem, message }: (typeof problems)[number], nth: number) => (
    <li key={nth}>
      <Given text={called[index]?.name ?? ''} max={200} />{' '}
      <code>
        <Given text={path || '/'} max={200} />
      </code>
      : {problem.replaceAll('_', ' ')}. <Given text={message} />
    </li>
  );
  return (
    <Folded title={`Schema problems (${problems.length})`}>
      {() => (
        <>
          <p className="muted small">They are a diagnosis and do not change the score.</p>
          <ul>{problems.slice(0, FIRST_PROBLEMS).map(line)}</ul>
        </>
      )}
    </Folded>
  );
}

/** What the score of a chain is made of. */
export function Chain({ result: { evidence, called, overall } }: { result: ResultWithExchange }) {
  const chain = evidence?.chain;
  if (!chain) return null;
  const { completion, efficiency, redundancy, detour, hops } = chain;
  return (
    <Folded title={`Chain of ${hops} ${hops === 1 ? 'call' : 'calls'}`}>
      {() => (
        <>
          <p>
            completion {share(completion)} × efficiency {share(efficiency)} − redundancy {share(redundancy)}
            {' − '}detour {share(detour)} = {share(overall)}
          </p>
          <ol>
            {called.slice(0, 100).map(({ name, arguments: given }, index) => (
              <li key={index}>
                <code>
                  <Given text={name} max={200} />
                </code>
                {given && <JsonView value={given} open={0} />}
              </li>
            ))}
          </ol>
        </>
      )}
    </Folded>
  );
}

interface MetricsProps {
  result: ResultWithExchange;
  /** The metrics of the run, as far as they are known. */
  asked: Pick<RunMetric, 'id' | 'as'>[];
}

/** The scores of the run's further metrics, and what each of them means. */
export function Metrics({ result: { metrics }, asked }: MetricsProps) {
  const names = Object.keys(metrics);
  const { data: known } = useQuery({ ...metricsQuery, enabled: names.length > 0 });
  if (names.length === 0) return null;
  return (
    <Folded title={`Metrics (${names.length})`}>
      {() =>
        names.map((name) => {
          const { score } = metrics[name]!;
          const id = asked.find((one) => one.as === name)?.id ?? name;
          const info = known?.items.find((one) => one.id === id);
          return (
            <div key={name}>
              <h3>
                <Given text={name} max={200} />: {typeof score === 'number' ? score.toFixed(3) : 'does not apply'}
              </h3>
              {info && (
                <p className="muted small">
                  {info.meaning} As {info.reference} {info.version} computes it.
                </p>
              )}
              <JsonView value={metrics[name]} open={1} />
            </div>
          );
        })
      }
    </Folded>
  );
}
