import { percent } from '../amounts';
import { modelOf } from '#lib/contracts/target-name';
import css from './strip.module.css';

export interface StripModel {
  target: string;
  /** Undefined to show the end of `target`. */
  name?: string;
  mean: number;
  ci: readonly [number, number] | null;
}

interface Props {
  models: readonly StripModel[];
  /** The models that stand out, by their targets. */
  highlighted?: ReadonlySet<string>;
}

const WIDTH = 160;
const HEIGHT = 28;
/** Keeps dots at the ends of the axis whole. */
const MARGIN = 6;
const TICKS = [0, 0.5, 1];
/** With more models, intervals would hide the dots. */
const MAX_WHISKERS = 6;
const MAX_NAMED = 12;
const DOTS = { few: 4, many: 3 };
/** Dots of many models are spread over this many lines. */
const LINES = 3;
const LINE = 6;

const x = (share: number): number => MARGIN + Math.min(1, Math.max(0, share)) * (WIDTH - 2 * MARGIN);

const NONE: ReadonlySet<string> = new Set();

/** The scores of a run's models as dots on one axis from 0 to 100 %. */
export function Strip({ models, highlighted = NONE }: Props) {
  const isCrowded = models.length > MAX_WHISKERS;
  // What is drawn last lies above the others.
  const drawn = models.toSorted(
    (one, other) => Number(highlighted.has(one.target)) - Number(highlighted.has(other.target)),
  );
  return (
    <svg className={css.strip} width={WIDTH} height={HEIGHT} role="img" aria-label={stripWords(models)}>
      <title>{stripWords(models)}</title>
      <line className={css.axis} x1={x(0)} x2={x(1)} y1={HEIGHT - 2} y2={HEIGHT - 2} />
      {TICKS.map((tick) => (
        <line key={tick} className={css.axis} x1={x(tick)} x2={x(tick)} y1="2" y2={HEIGHT - 2} />
      ))}
      {drawn.map(({ target, mean, ci }, index) => {
        const isAbove = highlighted.has(target);
        const isSmall = isCrowded && !(isAbove && highlighted.size <= MAX_WHISKERS);
        const y = HEIGHT / 2 - 1 + (isSmall ? ((index % LINES) - 1) * LINE : 0);
        return (
          <g key={target} className={isAbove ? css.above : undefined}>
            {ci && !isSmall && <line className={css.whisker} x1={x(ci[0])} x2={x(ci[1])} y1={y} y2={y} />}
            <circle className={css.dot} cx={x(mean)} cy={y} r={isSmall ? DOTS.many : DOTS.few} />
          </g>
        );
      })}
    </svg>
  );
}

const nameOf = ({ name, target }: StripModel): string => name ?? modelOf(target);

/** "b 91.0 %, a 89.1 % and 48 more", the best first. */
export function stripWords(models: readonly StripModel[]): string {
  const ordered = models.toSorted((one, other) => other.mean - one.mean);
  const named = ordered.slice(0, MAX_NAMED).map((model) => `${nameOf(model).slice(0, 100)} ${percent(model.mean)}`);
  const more = ordered.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}
