import type { GroupSummary, MetricSummary, SettledItem, Summary } from '#lib/contracts/summary';
import { passAtK, passHatK } from './pass-at-k.js';
import { seededRandom } from './seeded-random.js';

class Mean {
  sum = 0;
  count = 0;
  add(value: number | null): void {
    if (value === null) return;
    this.sum += value;
    this.count++;
  }
  get value(): number | null {
    return this.count === 0 ? null : this.sum / this.count;
  }
}

class Group {
  readonly cases = new Set<number>();
  scored = 0;
  errored = 0;
  passed = 0;
  readonly tool = new Mean();
  readonly param = new Mean();
  readonly overall = new Mean();
  readonly irrelevance = new Mean();

  add(item: SettledItem): void {
    this.cases.add(item.case_position);
    if (item.outcome === 'errored') return void this.errored++;
    this.scored++;
    if (item.passed) this.passed++;
    this.tool.add(item.tool_score);
    this.param.add(item.param_score);
    this.overall.add(item.overall);
    if (item.abstention) this.irrelevance.add(item.overall);
  }

  finish(): GroupSummary {
    return {
      cases: this.cases.size,
      scored: this.scored,
      errored: this.errored,
      passed: this.passed,
      tool_accuracy: this.tool.value,
      param_accuracy: this.param.value,
      overall: this.overall.value,
      irrelevance_accuracy: this.irrelevance.value,
    };
  }
}

/** The scored samples of a case. */
class Samples {
  readonly overall = new Mean();
  readonly passed = new Mean();
}

/** One metric over a target's results; the means of its cases are kept for the interval. */
class MetricGroup {
  notApplicable = 0;
  readonly byCase = new Map<number, Mean>();

  add(casePosition: number, score: number | null): void {
    if (score === null) return void this.notApplicable++;
    entryOf(this.byCase, casePosition, () => new Mean()).add(score);
  }

  finish(seed: number): MetricSummary {
    const means = [...this.byCase.values()];
    const scored = means.reduce((sum, mean) => sum + mean.count, 0);
    return {
      mean: scored === 0 ? null : means.reduce((sum, mean) => sum + mean.sum, 0) / scored,
      ci: clusteredInterval(means, seed),
      scored,
      not_applicable: this.notApplicable,
    };
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/**
 * Collects the settled items of a target, one by one, into its final figures. One function makes every summary, so
 * that no two screens disagree. Memory: one entry a case and four bytes an item.
 */
export function createSummary({ seed }: { seed: number }): {
  add(item: SettledItem): void;
  finish(): Omit<Summary, 'target'>;
} {
  const all = new Group();
  const categories = new Map<string, Group>();
  const byCase = new Map<number, Samples>();
  const metrics = new Map<string, MetricGroup>();
  const formats: Record<string, number> = {};
  const errors: Record<string, number> = {};
  const choices: Record<string, number> = {};
  let latencies = new Int32Array(1024);
  let latencyCount = 0;
  let [promptTokens, completionTokens] = [0, 0];
  const cached = { results: 0, prompt_tokens: 0, completion_tokens: 0 };
  const cost = new Mean();
  const count = (counts: Record<string, number>, key: string): void => void (counts[key] = (counts[key] ?? 0) + 1);
  return {
    add(item) {
      all.add(item);
      if (item.category !== null) {
        entryOf(categories, item.category, () => new Group()).add(item);
      }
      count(errors, item.error_type);
      promptTokens += item.prompt_tokens ?? 0;
      completionTokens += item.completion_tokens ?? 0;
      cost.add(item.cost_usd);
      if (item.cached) {
        cached.results++;
        cached.prompt_tokens += item.prompt_tokens ?? 0;
        cached.completion_tokens += item.completion_tokens ?? 0;
      }
      if (item.outcome === 'errored') return;
      if (item.format_compliance) count(formats, item.format_compliance);
      // A case that expects no call is sent with "auto" for every model.
      if (item.tool_choice_used !== null && !item.abstention) count(choices, item.tool_choice_used);
      const samples = entryOf(byCase, item.case_position, () => new Samples());
      samples.overall.add(item.overall);
      samples.passed.add(Number(item.passed));
      for (const [id, score] of Object.entries(item.metrics ?? {}))
        entryOf(metrics, id, () => new MetricGroup()).add(item.case_position, score);
      if (item.latency_ms === null) return;
      if (latencyCount === latencies.length) {
        const larger = new Int32Array(latencies.length * 2);
        larger.set(latencies);
        latencies = larger;
      }
      latencies[latencyCount++] = item.latency_ms;
    },
    finish() {
      const sorted = latencies.subarray(0, latencyCount).sort();
      return {
        ...all.finish(),
        overall_ci: clusteredInterval(
          [...byCase.values()].map((samples) => samples.overall),
          seed,
        ),
        pass_rate: all.scored === 0 ? null : all.passed / all.scored,
        // Samples of one case are not independent, and Wilson takes them to be.
        pass_rate_ci:
          byCase.size === all.scored
            ? wilson(all.passed, all.scored)
            : clusteredInterval(
                [...byCase.values()].map((samples) => samples.passed),
                seed,
              ),
        ...repeats([...byCase.values()].map((samples) => samples.passed)),
        metrics: Object.fromEntries([...metrics].map(([id, group]) => [id, group.finish(seed)])),
        format_counts: formats,
        error_counts: errors,
        tool_choice_used: choices,
        by_category: Object.fromEntries(
          [...categories].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, group]) => [name, group.finish()]),
        ),
        latency_ms: { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) },
        usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
        cost_usd: cost.count === 0 ? null : cost.sum,
        cached,
      };
    },
  };
}

/**
 * pass@k and pass^k averaged over cases, for k from 1 to the smallest number of scored samples of a case that has
 * any.
 */
function repeats(cases: Mean[]): Pick<Summary, 'pass_at_k' | 'pass_hat_k'> {
  const largest = cases.reduce((least, { count }) => Math.min(least, count), cases.length ? Infinity : 0);
  const over = (rate: (n: number, c: number, k: number) => number): number[] =>
    Array.from(
      { length: largest },
      (_, index) => cases.reduce((sum, { sum: c, count: n }) => sum + rate(n, c, index + 1), 0) / cases.length,
    );
  return { pass_at_k: over(passAtK), pass_hat_k: over(passHatK) };
}

/** Nearest rank. */
const percentile = (sorted: Int32Array, share: number): number | null =>
  sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;

const Z = 1.959963984540054; // 97.5 % quantile of the normal distribution

/** 95 % interval of a proportion (Wilson 1927). */
export function wilson(successes: number, n: number): [number, number] | null {
  if (n === 0) return null;
  const p = successes / n;
  const centre = (p + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n);
  const half = (Z / (1 + (Z * Z) / n)) * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

const RESAMPLES = 1000;
/** Above this the resampling would take seconds, and the mean of so many cases is normal for all purposes. */
const LARGEST_BOOTSTRAP = 5000;

/**
 * 95 % interval of a mean over items that come in clusters: whole cases are drawn with replacement, because n
 * samples of one case are not n independent cases (Cameron, Gelbach, Miller 2008). Percentile bootstrap; for more
 * than 5,000 cases the cluster-robust normal interval.
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
  if (used.length > LARGEST_BOOTSTRAP) {
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
