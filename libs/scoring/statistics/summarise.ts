import type { CategorySummary, GroupSummary, MetricSummary, SettledItem, Summary } from '#lib/contracts/summary';
import { TOKEN_PARTS } from '#lib/contracts/token-counts';
import { CONVERSATION_FIGURES } from '#lib/contracts/values/conversations';
import { caseMeanInterval } from './intervals.js';
import { passAtK, passHatK } from './pass-at-k.js';
import { wilson } from './proportions.js';

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
  readonly #figures = new Map<string, Mean>();

  add(item: SettledItem): void {
    this.cases.add(item.case_position);
    if (item.outcome === 'errored') return void this.errored++;
    this.scored++;
    if (item.passed) this.passed++;
    this.tool.add(item.tool_score);
    this.param.add(item.param_score);
    this.overall.add(item.overall);
    if (item.abstention) this.irrelevance.add(item.overall);
    for (const [name, score] of Object.entries(item.metrics ?? {}))
      if (score !== null && FIGURES.has(name)) entryOf(this.#figures, name, () => new Mean()).add(score);
  }

  /** The group as a category. */
  finishCategory(cases: readonly Samples[]): CategorySummary {
    const means = [...this.#figures].map(([name, { value }]) => [name, value!] as const);
    return { ...this.finish(cases), ...(means.length > 0 && { figures: Object.fromEntries(means) }) };
  }

  finish(cases: readonly Samples[]): GroupSummary {
    return {
      cases: this.cases.size,
      scored: this.scored,
      errored: this.errored,
      passed: this.passed,
      tool_accuracy: this.tool.value,
      param_accuracy: this.param.value,
      overall: this.overall.value,
      overall_ci: intervalOf(cases.map((samples) => samples.overall)),
      irrelevance_accuracy: this.irrelevance.value,
    };
  }
}

const FIGURES: ReadonlySet<string> = new Set(CONVERSATION_FIGURES);

/** The scored samples of a case. */
class Samples {
  constructor(readonly category: string | null) {}
  readonly overall = new Mean();
  readonly passed = new Mean();
}

const intervalOf = (cases: readonly Mean[]): [number, number] | null =>
  caseMeanInterval(cases.flatMap(({ value }) => value ?? []));

/** One metric over the results of a target. The interval needs the mean of each case. */
class MetricGroup {
  notApplicable = 0;
  readonly byCase = new Map<number, Mean>();

  add(casePosition: number, score: number | null): void {
    if (score === null) return void this.notApplicable++;
    entryOf(this.byCase, casePosition, () => new Mean()).add(score);
  }

  finish(): MetricSummary {
    const means = [...this.byCase.values()];
    const scored = means.reduce((sum, mean) => sum + mean.count, 0);
    return {
      mean: scored === 0 ? null : means.reduce((sum, mean) => sum + mean.sum, 0) / scored,
      ci: intervalOf(means),
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

/** Latencies with four bytes each: a target may have millions of items. */
class Latencies {
  #values = new Int32Array(1024);
  #count = 0;

  add(latencyMs: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Int32Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = latencyMs;
  }

  finish(): Summary['latency_ms'] {
    const sorted = this.#values.subarray(0, this.#count).sort();
    return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
  }
}

type Counts = Record<string, number>;
const count = (counts: Counts, key: string): void => void (counts[key] = (counts[key] ?? 0) + 1);

/**
 * Aggregates the settled items of a target, one by one, into its final figures. Every summary is built here, so that no
 * two screens disagree. Takes memory for one entry per case and four bytes per item.
 */
export class SummaryBuilder {
  readonly #all = new Group();
  readonly #categories = new Map<string, Group>();
  readonly #byCase = new Map<number, Samples>();
  readonly #metrics = new Map<string, MetricGroup>();
  readonly #formats: Counts = {};
  readonly #errors: Counts = {};
  readonly #syntaxes: Counts = {};
  readonly #toolChoices: Counts = {};
  readonly #latencies = new Latencies();
  readonly #usage: Summary['usage'] = { prompt_tokens: 0, completion_tokens: 0 };
  readonly #cached = { results: 0, prompt_tokens: 0, completion_tokens: 0 };
  readonly #cost = new Mean();

  add(item: SettledItem): void {
    this.#all.add(item);
    if (item.category !== null) entryOf(this.#categories, item.category, () => new Group()).add(item);
    count(this.#errors, item.error_type);
    this.#addUsage(item);
    if (item.outcome !== 'errored') this.#addScored(item);
  }

  #addUsage(item: SettledItem): void {
    const [prompt, completion] = [item.prompt_tokens ?? 0, item.completion_tokens ?? 0];
    this.#usage.prompt_tokens += prompt;
    this.#usage.completion_tokens += completion;
    this.#cost.add(item.cost_usd);
    if (!item.cached) return this.#addParts(item);
    this.#cached.results++;
    this.#cached.prompt_tokens += prompt;
    this.#cached.completion_tokens += completion;
  }

  #addParts(item: SettledItem): void {
    for (const part of TOKEN_PARTS) {
      const tokens = item[part] ?? null;
      if (tokens !== null) this.#usage[part] = (this.#usage[part] ?? 0) + tokens;
    }
  }

  #addScored(item: SettledItem): void {
    if (item.format_compliance) count(this.#formats, item.format_compliance);
    if (item.syntax) count(this.#syntaxes, item.syntax);
    // A case that expects no call is sent with "auto" to every model.
    if (item.tool_choice_used !== null && !item.abstention) count(this.#toolChoices, item.tool_choice_used);
    const samples = entryOf(this.#byCase, item.case_position, () => new Samples(item.category));
    samples.overall.add(item.overall);
    samples.passed.add(Number(item.passed));
    for (const [id, score] of Object.entries(item.metrics ?? {}))
      entryOf(this.#metrics, id, () => new MetricGroup()).add(item.case_position, score);
    if (item.latency_ms !== null) this.#latencies.add(item.latency_ms);
  }

  finish(): Omit<Summary, 'target'> {
    const cases = [...this.#byCase.values()];
    const passed = cases.map((samples) => samples.passed);
    const byCategory = Map.groupBy(cases, (samples) => samples.category);
    return {
      ...this.#all.finish(cases),
      ci_method: 't_pseudo_cases',
      ...this.#passRate(passed),
      ...repeatedSampleRates(passed),
      metrics: Object.fromEntries([...this.#metrics].map(([id, group]) => [id, group.finish()])),
      format_counts: this.#formats,
      error_counts: this.#errors,
      syntax_counts: this.#syntaxes,
      tool_choice_used: this.#toolChoices,
      by_category: Object.fromEntries(
        [...this.#categories]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, group]) => [name, group.finishCategory(byCategory.get(name) ?? [])]),
      ),
      latency_ms: this.#latencies.finish(),
      usage: this.#usage,
      cost_usd: this.#cost.count === 0 && this.#all.cases.size > 0 ? null : this.#cost.sum,
      cached: this.#cached,
    };
  }

  #passRate(passedByCase: Mean[]): Pick<Summary, 'pass_rate' | 'pass_rate_ci'> {
    const { passed, scored } = this.#all;
    // Wilson's interval assumes independent samples, and those of one case are not.
    const isOneSampleACase = passedByCase.length === scored;
    return {
      pass_rate: scored === 0 ? null : passed / scored,
      pass_rate_ci: isOneSampleACase ? wilson(passed, scored) : intervalOf(passedByCase),
    };
  }
}

/** pass@k and pass^k, averaged over cases, for k up to the smallest number of scored samples of a case. */
function repeatedSampleRates(cases: Mean[]): Pick<Summary, 'pass_at_k' | 'pass_hat_k'> {
  const maxK = cases.reduce((least, { count: samples }) => Math.min(least, samples), cases.length ? Infinity : 0);
  const average = (rate: (n: number, c: number, k: number) => number): number[] =>
    Array.from(
      { length: maxK },
      (_, index) => cases.reduce((sum, { sum: c, count: n }) => sum + rate(n, c, index + 1), 0) / cases.length,
    );
  return { pass_at_k: average(passAtK), pass_hat_k: average(passHatK) };
}

/** The nearest-rank percentile. */
const percentile = (sorted: Int32Array, share: number): number | null =>
  sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
