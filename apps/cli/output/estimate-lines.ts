import type { Estimate } from '#lib/contracts/estimate';
import { dollars, durationText, table } from './table.js';

/** What a model, or all of them, would take. */
interface Needs {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: number | null;
  /** Left out where it cannot be foretold. */
  duration_s?: number;
}

/** What an estimate says: a row for each model, with figures of its own behind the name. */
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

/** What an estimate assumes and warns of, below its table. Servers of earlier releases do not say it. */
export const assumptionLines = ({ assumptions = [], warnings = [] }: Estimate): string[] => [
  ...assumptions,
  ...warnings.map((warning) => `Warning: ${warning}`),
];
