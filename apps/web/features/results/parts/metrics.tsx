import { useQuery } from '@tanstack/react-query';
import type { RunMetric } from '#lib/contracts/metric';
import { CONVERSATION_FIGURES } from '#lib/contracts/values/conversations';
import { Folded } from '../../../ui/details';
import { JsonView } from '../../../ui/json-view';
import { UserText } from '../../../ui/user-text';
import { metricsQuery } from '../../runs/api';
import type { Result } from '../api';

const isFigure = (name: string): boolean => (CONVERSATION_FIGURES as readonly string[]).includes(name);

interface MetricsProps {
  result: Pick<Result, 'metrics'>;
  /** The metrics of the run, as far as known. */
  asked: Pick<RunMetric, 'id' | 'as'>[];
}

/** The scores of the run's additional metrics, with their meaning. The figures of a conversation are in its goal. */
export function Metrics({ result: { metrics }, asked }: MetricsProps) {
  const names = Object.keys(metrics).filter((name) => !isFigure(name));
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
