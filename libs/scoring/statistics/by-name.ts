import { cohenKappa, type KappaWeights } from './cohen-kappa.js';
import { binomialCdf, normalQuantile, tCdf, tQuantile } from './distributions.js';
import { holm } from './holm.js';
import { clusterT, equivalence, pairedInterval, pairedT, smallestDetectable } from './paired.js';
import { passAtK } from './pass-at-k.js';
import { mcnemarExact, mcnemarMidP, newcombePaired, wilson, type PairedCounts } from './proportions.js';

interface Confidence {
  confidence?: number;
}

/**
 * Every statistic by its name in tables of reference values. Each takes an object and returns a JSON value: an
 * undefined or infinite result is null.
 */
export const STATISTICS: Record<string, (input: object) => unknown> = {
  binomial_cdf: named((of: { k: number; n: number; p: number }) => binomialCdf(of.k, of.n, of.p)),
  cluster_t: named((of: Confidence & { values: number[]; clusters: (number | string)[] }) =>
    clusterT(of.values, of.clusters, of.confidence),
  ),
  cohen_kappa: named((of: Confidence & { table: number[][]; weights?: KappaWeights }) =>
    cohenKappa(of.table, of.weights ?? 'none', of.confidence),
  ),
  equivalence: named((of: { differences: number[]; margin: number; alpha?: number }) =>
    equivalence(of.differences, of.margin, of.alpha),
  ),
  holm: named((of: { p: number[] }) => holm(of.p)),
  mcnemar_exact: named((of: { fixed: number; broken: number }) => mcnemarExact(of.fixed, of.broken)),
  mcnemar_mid_p: named((of: { fixed: number; broken: number }) => mcnemarMidP(of.fixed, of.broken)),
  newcombe_paired: named((of: Confidence & PairedCounts) => newcombePaired(of, of.confidence)),
  normal_quantile: named((of: { p: number }) => normalQuantile(of.p)),
  paired_interval: named((of: Confidence & { differences: number[] }) => pairedInterval(of.differences, of.confidence)),
  paired_t: named((of: Confidence & { differences: number[] }) => pairedT(of.differences, of.confidence)),
  pass_at_k: named((of: { trials: number; successes: number; k: number }) => passAtK(of.trials, of.successes, of.k)),
  smallest_detectable: named(smallestDetectable),
  t_cdf: named((of: { t: number; df: number }) => tCdf(of.t, of.df)),
  t_quantile: named((of: { p: number; df: number }) => tQuantile(of.p, of.df)),
  wilson: named((of: Confidence & { successes: number; n: number }) => wilson(of.successes, of.n, of.confidence)),
};

function named<Input extends object>(statistic: (input: Input) => unknown): (input: object) => unknown {
  return (input) => {
    const answer = statistic(input as Input);
    return typeof answer === 'number' && !Number.isFinite(answer) ? null : answer;
  };
}
