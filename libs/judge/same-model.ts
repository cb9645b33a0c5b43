/**
 * Whether two models are the same, possibly at different providers: `openai/gpt-x` of one is `gpt-x` of another.
 * @param a `provider_key::model_id`, as `b`
 */
export const isSameModel = (a: string, b: string): boolean => bareName(a) === bareName(b);

const bareName = (target: string): string =>
  target
    .slice(target.indexOf('::') + 2)
    .split('/')
    .at(-1)!
    .toLowerCase();

/** @returns the targets that are the same model as the judge */
export const targetsOfJudge = (judge: string, targets: readonly string[]): string[] =>
  targets.filter((target) => isSameModel(judge, target));

export const describeSelfJudging = (judge: string, [target]: readonly string[]): string =>
  `The judge ${judge} would judge itself: ${target} is the same model. Models prefer their own replies. Name another ` +
  'judge, or set allow_self.';
