import type { TrendPoint } from '#lib/contracts/trend';
import type { SparkLine } from '../../../ui/figures/sparkline.js';

const MAX_LINES = 4;

/** The models of the newest run as lines over the runs before it, the one that stands out last. */
export function linesOf(
  points: readonly TrendPoint[],
  best: string | undefined,
  labelOf: (target: string) => string,
): SparkLine[] {
  const models = points.at(-1)?.models.slice(0, MAX_LINES) ?? [];
  const isAmong = (of: TrendPoint): boolean =>
    of.models.some(({ target }) => models.some((one) => one.target === target));
  const shown = points.slice(points.findIndex(isAmong));
  const lines = models.map(({ target }) => ({
    name: labelOf(target),
    isMain: target === (best ?? models[0]!.target),
    values: shown.map(({ models: of }) => {
      const model = of.find((one) => one.target === target);
      return model?.mean == null ? null : { mean: model.mean, ci: model.ci };
    }),
  }));
  return lines.toSorted((one, other) => Number(one.isMain) - Number(other.isMain));
}
