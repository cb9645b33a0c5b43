import type { Estimate, Outcomes } from '#lib/contracts/comparison';
import { CaseSums } from './case-sums.js';
import { casesForMargin, measureDifference, type Figures } from './figures.js';
import type { PairedCase } from './measurements.js';
import { countOutcomes } from './outcomes.js';
import { sentenceFor, type Subject } from './sentence.js';
import { decide, type VerdictRules } from './verdict.js';

export interface EstimateOptions extends VerdictRules {
  /** `overall`, `passed` or the name of a metric. */
  measure: string;
  subject: Omit<Subject, 'metric'>;
}

/**
 * The difference of two targets over their common cases, b minus a, with its uncertainty, the verdict and a sentence.
 * @param cases all common cases, including those without a score
 */
export function estimateDifference(cases: readonly PairedCase[], options: EstimateOptions): Estimate {
  return conclude(measureDifference(cases.map(sumsOf)), countOutcomes(cases), options);
}

export function sumsOf(one: PairedCase): CaseSums {
  const sums = new CaseSums(one);
  sums.add(one);
  return sums;
}

/** Figures with the verdict on them. */
export function conclude(figures: Figures, outcomes: Outcomes, options: EstimateOptions): Estimate {
  const verdict = decide(figures, options);
  const subject = { ...options.subject, metric: metricOf(options.measure) };
  return {
    ...bare(figures, options),
    ...verdict,
    text: sentenceFor(figures, verdict, { ...options, subject, outcomes }),
  };
}

/** The name of the compared metric; undefined for the score and the pass rate. */
export const metricOf = (measure: string): string | undefined =>
  ['overall', 'passed'].includes(measure) ? undefined : measure;

/** Figures without a verdict: exploratory, not evidence. */
export const bareEstimate = (figures: Figures, options: Pick<EstimateOptions, 'measure' | 'margin'>): Estimate => ({
  ...bare(figures, options),
  small: false,
  robust: false,
  verdict: null,
  reasons: [],
  text: null,
});

function bare(
  { common: _common, grouped: _grouped, scoredCases: _cases, erroredShares: _shares, ...figures }: Figures,
  { measure, margin }: Pick<EstimateOptions, 'measure' | 'margin'>,
) {
  return { ...figures, measure, cases_for_margin: casesForMargin(figures, margin) };
}
