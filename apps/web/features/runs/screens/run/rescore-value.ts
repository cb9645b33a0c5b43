import { isObject, parseJson, type Json } from '#lib/contracts/json/json';

/** The value of the dialog: the texts of its fields, as typed. Empty keeps the run's setting. */
export interface RescoreValue {
  threshold: string;
  rule: string;
  /** The tolerance of numbers or texts. */
  epsilon: string;
  similarity: string;
  /** A JSON list. */
  metrics: string;
}

export const UNCHANGED: RescoreValue = { threshold: '', rule: '', epsilon: '', similarity: '', metrics: '' };

export const RULES = ['exact', 'contains', 'numeric_tolerance', 'datetime', 'regex', 'fuzzy', 'semantic'] as const;

export type RescoreRequest = { body: string } | { fault: string };

/** The text of the request. The API validates its numbers. */
export function rescoreOf({ threshold, rule, epsilon, similarity, metrics }: RescoreValue): RescoreRequest {
  const config = {
    ...(rule === 'numeric_tolerance' && epsilon.trim() && { epsilon: number(epsilon) }),
    ...((rule === 'fuzzy' || rule === 'semantic') && similarity.trim() && { threshold: number(similarity) }),
  };
  const asked = metricsOf(metrics);
  if (asked === undefined) return { fault: 'The metrics are not a JSON list.' };
  const hasConfig = Object.keys(config).length > 0;
  return {
    body: JSON.stringify({
      ...(threshold.trim() && { pass_threshold: number(threshold) }),
      ...(rule && !hasConfig && { param_scoring: rule }),
      ...(hasConfig && { scoring_config: { mode: rule, ...config } }),
      ...(asked && { metrics: asked }),
    }),
  };
}

/** Input that is not a number is sent as text: the API reports the fault. */
const number = (typed: string): number | string => (Number.isFinite(Number(typed)) ? Number(typed) : typed.trim());

function metricsOf(typed: string): Json[] | null | undefined {
  if (typed.trim() === '') return null;
  try {
    const value = parseJson(typed);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const WORDS: Record<string, string> = {
  pass_threshold: 'pass threshold',
  param_scoring: 'arguments compared',
  scoring_config: 'arguments compared',
  metrics: 'metrics',
};

/** A rescore's changed settings in words: "pass threshold 0.8, arguments compared fuzzy". */
export function optionsInWords(options: Record<string, unknown>): string {
  const parts = Object.entries(options).flatMap(([key, value]) => {
    if (value === null || value === undefined || !Object.hasOwn(WORDS, key)) return [];
    if (key === 'metrics') {
      const names = (Array.isArray(value) ? value : []).flatMap((one) =>
        isObject(one) ? [String(one.as ?? one.id)] : [],
      );
      return names.length > 0 ? [`metrics ${names.join(', ')}`] : [];
    }
    const text = isObject(value)
      ? Object.entries(value)
          .map(([name, one]) => `${name} ${String(one)}`)
          .join(', ')
      : String(value);
    return [`${WORDS[key]!} ${text}`];
  });
  return parts.length > 0 ? parts.join('; ') : 'the settings of the run';
}
