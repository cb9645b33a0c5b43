import type { MetricAsked, RunMetric } from '#lib/contracts/metric';
import { ProblemError } from '#lib/contracts/input/problem';
import { checkMetrics, findMetric } from '#lib/scoring/metrics';
import { CSV_NAMES } from '../results/csv.js';

/**
 * The requested metrics, as a run stores them.
 * @throws ProblemError 422 when there is no such metric for runs, or it has no such option, or its name is taken
 */
export function resolveMetrics(asked: readonly MetricAsked[]): RunMetric[] {
  const { metrics, errors } = checkMetrics(asked);
  asked.forEach((one, index) => {
    if (typeof one === 'string' || !one.as || !CSV_NAMES.has(one.as)) return;
    errors.push({ path: `/${index}/as`, message: `"${one.as}" is already a column of CSV exports. Use another name.` });
  });
  if (errors.length)
    throw new ProblemError(
      422,
      errors[0]!.message,
      errors.map(({ path, message }) => ({ path: `/metrics${path}`, message })),
    );
  return withVersions(metrics);
}

/** Metrics with their current versions. */
export const withVersions = (metrics: readonly RunMetric[]): RunMetric[] =>
  metrics.map((metric) => ({ ...metric, version: findMetric(metric.id).version }));
