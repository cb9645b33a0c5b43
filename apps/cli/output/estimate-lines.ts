import type { Estimate } from '#lib/contracts/estimate';
import { dollars, durationText, table } from './table.js';

/** What a model, or all of them, would take. */
interface Needs {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: number | null;
  /** Missing where it cannot be estimated. */
  duration_s?: number;
}

/** The table of an estimate: a row for each model, with its own figures after the name. */
export const estimateTable = (
  own: readonly string[],
  rows: readonly [name: string, needs: Needs, ...own: string[]][],
) =>
  table([
    ['model', ...own, 'requests', 'prompt tokens', 'reply tokens', 'cost', 'time'],
    ...rows.map(([name, needs, ...figures]) => [
      name,
      ...figures,
      String(needs.requests),
      String(needs.prompt_tokens),
      String(needs.completion_tokens),
      dollars(needs.cost_usd),
      needs.duration_s === undefined ? '-' : durationText(needs.duration_s),
    ]),
  ]);

/** Assumptions and warnings of an estimate, shown below its table. Servers of earlier releases do not send them. */
export const assumptionLines = ({ assumptions = [], warnings = [] }: Estimate): string[] => [
  ...assumptions,
  ...warnings.map((warning) => `Warning: ${warning}`),
];
