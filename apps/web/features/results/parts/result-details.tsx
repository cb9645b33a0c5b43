import { useQuery } from '@tanstack/react-query';
import type { RunMetric } from '#lib/contracts/metric';
import { metricsQuery } from '../../runs/api/metrics';
import type { Result } from '../api/results';
import { Folded } from '../../../ui/folded';
import { UserText } from '../../../ui/user-text';
import { JsonView } from '../../../ui/json-view';

/** The fields of a result that a part shows, for stored and tried results alike. */
interface Of<Key extends keyof Result> {
  result: Pick<Result, Key>;
}

export const share = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'none' : value.toFixed(2);

const FIRST_PROBLEMS = 100;

/** Where calls violate the schema of their tool. */
export function SchemaProblems({ result: { evidence, called } }: Of<'evidence' | 'called'>) {
  const problems = evidence?.schema ?? [];
  if (problems.length === 0) return null;
  const line = ({ called: index, path, problem, message }: (typeof problems)[number], nth: number) => (
    <li key={nth}>
      <UserText text={called[index]?.name ?? ''} max={200} />{' '}
      <code>
        <UserText text={path || '/'} max={200} />
      </code>
      : {problem.replaceAll('_', ' ')}. <UserText text={message} />
    </li>
  );
  return (
    <Folded title={`Schema problems (${problems.length})`}>
      {() => (
        <>
          <p className="muted small">Diagnostic only; they do not change the score.</p>
          <ul>{problems.slice(0, FIRST_PROBLEMS).map(line)}</ul>
        </>
      )}
    </Folded>
  );
}

/** The components of a chain's score. */
export function Chain({ result: { evidence, called, overall } }: Of<'evidence' | 'called' | 'overall'>) {
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
                  <UserText text={name} max={200} />
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
  result: Pick<Result, 'metrics'>;
  /** The metrics of the run, as far as known. */
  asked: Pick<RunMetric, 'id' | 'as'>[];
}

/** The scores of the run's additional metrics, with their meaning. */
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
                <UserText text={name} max={200} />: {typeof score === 'number' ? score.toFixed(3) : 'not applicable'}
              </h3>
              {info && (
                <p className="muted small">
                  {info.meaning} Computed as in {info.reference} {info.version}.
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
