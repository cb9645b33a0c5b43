import type { Run } from '#lib/contracts/run';

interface CostOfSamples {
  requests: number;
  /** Null without prices. */
  usd: number | null;
  /** Null where nothing of the run was asked for. */
  ms: number | null;
}

/** What further samples take, if each takes as much as the first ones did. Stored replies answer none of them. */
export function costOfSamples(
  { actual, estimate, counts, config }: Pick<Run, 'actual' | 'estimate' | 'counts' | 'config'>,
  samples: number,
): CostOfSamples {
  const before = typeof config.samples === 'number' ? config.samples : 1;
  const items = Number.isInteger(samples) && samples > 0 ? (counts.total / before) * samples : 0;
  const usages = [
    { usage: actual, of: counts.settled },
    { usage: estimate, of: counts.total },
  ].flatMap(({ usage, of }) => (usage && of > 0 ? [{ ...usage, perItem: (usage.requests + usage.cached) / of }] : []));
  const known = usages.find((one) => one.requests > 0);
  // The items of a chain take several requests each.
  const perItem = (known ?? usages.find((one) => one.perItem > 0))?.perItem ?? 1;
  const requests = items * perItem;
  const share = known ? requests / known.requests : 0;
  return {
    requests: Math.round(requests),
    usd: known?.cost_usd == null ? null : known.cost_usd * share,
    ms: known ? known.duration_s * share * 1000 : null,
  };
}
