import type { GateRun, GateTarget } from '#lib/gate/contract';

const GRAVITY: readonly GateTarget['result'][] = ['fail', 'inconclusive', 'not_measured', 'pass'];

type Decided = Pick<GateTarget, 'result' | 'difference'>;

/** Models that decide first, of these the one that lost most. */
export const byGravity = (one: Decided, other: Decided): number =>
  GRAVITY.indexOf(one.result) - GRAVITY.indexOf(other.result) || (one.difference ?? 0) - (other.difference ?? 0);

/** A look that was taken, at one model. */
export interface LookValue extends Decided {
  look: number;
  /** Of each case, of the run. */
  samples: number;
  ci: readonly [number, number] | null;
}

/** The looks at a model, in order; undefined where a look of an earlier release has no figures. */
export function looksAt(target: string, looks: GateRun['looks']): LookValue[] | undefined {
  const values = looks.map(({ look, samples, targets }) => {
    const found = targets?.find((one) => one.target === target);
    return found && { ...found, look, samples: samples[1] };
  });
  return values.every((value) => value !== undefined) ? values : undefined;
}
