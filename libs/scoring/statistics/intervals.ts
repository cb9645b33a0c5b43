import { seededRandom } from './seeded-random.js';

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/** The 95 % interval of a proportion (Wilson 1927). */
export function wilson(successes: number, n: number): [number, number] | null {
  if (n === 0) return null;
  const p = successes / n;
  const centre = (p + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n);
  const half = (Z / (1 + (Z * Z) / n)) * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

const RESAMPLES = 1000;
/** Beyond this, resampling would take seconds, and the mean of so many cases is as good as normal. */
const MAX_BOOTSTRAP_CASES = 5000;

/**
 * The 95 % interval of a mean over items that come in clusters. It draws whole cases with replacement, because n
 * samples of one case are not n independent cases (Cameron, Gelbach, Miller 2008). It is a percentile bootstrap, and
 * for more than 5,000 cases the cluster-robust normal interval.
 */
export function clusteredInterval(
  clusters: readonly { sum: number; count: number }[],
  seed: number,
): [number, number] | null {
  const used = clusters.filter((cluster) => cluster.count > 0);
  const total = used.reduce((sum, cluster) => sum + cluster.count, 0);
  if (total === 0) return null;
  const mean = used.reduce((sum, cluster) => sum + cluster.sum, 0) / total;
  const clamp = (value: number): number => Math.min(1, Math.max(0, value));
  if (used.length > MAX_BOOTSTRAP_CASES) {
    const variance = used.reduce((sum, cluster) => sum + (cluster.sum - mean * cluster.count) ** 2, 0) / total ** 2;
    const half = Z * Math.sqrt((variance * used.length) / (used.length - 1));
    return [clamp(mean - half), clamp(mean + half)];
  }
  const random = seededRandom(seed);
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let [sum, count] = [0, 0];
    for (let i = 0; i < used.length; i++) {
      const cluster = used[Math.floor(random() * used.length)]!;
      sum += cluster.sum;
      count += cluster.count;
    }
    means[resample] = sum / count;
  }
  means.sort();
  return [means[Math.floor(0.025 * RESAMPLES)]!, means[Math.ceil(0.975 * RESAMPLES) - 1]!];
}
