import { count } from '../../../ui/amounts';
import { ModelName, useModelLabel } from '../../providers/parts/model-name';
import css from './failure-tree.module.css';
import { stripWords } from './failure-words';

const WIDTH = 160;
const HEIGHT = 16;

interface Props {
  /** All models of the run. */
  targets: readonly string[];
  /** How many results of each. */
  counts: readonly number[];
}

/** How many results each model has, as bars in the order of the run's models. One model alone is named instead. */
export function ModelStrip({ targets, counts }: Props) {
  const labelOf = useModelLabel();
  const failing = counts.flatMap((n, ordinal) => (n > 0 ? [ordinal] : []));
  if (failing.length === 1) return <ModelName target={targets[failing[0]!] ?? ''} />;
  const words = stripWords(targets.map(labelOf), counts);
  const most = Math.max(1, ...counts);
  const step = WIDTH / Math.max(1, targets.length);
  return (
    <span className={css.strip}>
      <svg width={WIDTH} height={HEIGHT} role="img" aria-label={words}>
        <title>{words}</title>
        <line className={css.base} x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {failing.map((ordinal) => {
          const height = Math.max(2, (counts[ordinal]! / most) * (HEIGHT - 1));
          return (
            <rect
              key={ordinal}
              className={css.part}
              x={ordinal * step}
              width={Math.max(1, step - (step > 3 ? 1 : 0.3))}
              y={HEIGHT - 1 - height}
              height={height}
            />
          );
        })}
      </svg>
      <span className="muted small nowrap">
        {count(failing.length)} of {count(targets.length)}
      </span>
    </span>
  );
}
