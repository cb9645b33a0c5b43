import type { BaselineComparison, ComparedTarget, ModelChange } from '#lib/contracts/comparison';

/** What became of the models of a run: a mean over several hides the one that broke. */
export function comparedModels(targets: readonly ComparedTarget[]): NonNullable<BaselineComparison['models']> {
  const changes = targets.flatMap((target) => changeOf(target) ?? []);
  const of = (verdict: ModelChange['verdict']): ModelChange[] => changes.filter((change) => change.verdict === verdict);
  const regressed = of('regressed');
  return {
    worst: lowest(regressed.length > 0 ? regressed : changes),
    regressed: regressed.length,
    improved: of('improved').length,
  };
}

function changeOf({ b, estimate: { verdict, difference, ci, mean_a, mean_b } }: ComparedTarget): ModelChange | null {
  if (verdict === null || verdict === 'not_comparable' || difference === null) return null;
  return { target: b, verdict, difference, ci, from: mean_a, to: mean_b };
}

const lowest = (changes: readonly ModelChange[]): ModelChange | null =>
  changes.reduce<ModelChange | null>(
    (least, change) => (least === null || change.difference! < least.difference! ? change : least),
    null,
  );
