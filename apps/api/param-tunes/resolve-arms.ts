import { setImmediate } from 'node:timers/promises';
import type { NewTuneArm } from '#lib/param-tune/rows/arms';
import type { EstimatedModel } from '#lib/db/read/estimate';
import { resolveParams } from '#lib/providers/resolve-params';
import type { Arm } from '#lib/param-tune/space/arms';

/** Arms that are resolved before other work gets a turn. */
const AT_ONCE = 100;

/**
 * The request parameters that a provider is sent for each arm. Several arms may resolve to the same parameters, where
 * the provider lacks a parameter or limits its range: those count as one arm, the one closest to the base.
 */
export async function resolveArms(
  ordinal: number,
  name: string,
  model: EstimatedModel,
  arms: readonly Arm[],
): Promise<NewTuneArm[]> {
  const resolved: (NewTuneArm & { key: string })[] = [];
  for (const [number, arm] of arms.entries()) {
    if (number % AT_ONCE === 0) await setImmediate();
    const { params, adjustments } = resolveParams(arm.settings, name, model);
    const key = JSON.stringify(params);
    resolved.push({ ...arm, target: ordinal, arm: number, resolved: params, adjustments, sameAs: null, key });
  }
  const firsts = new Map<string, (typeof resolved)[number]>();
  for (const arm of resolved) {
    const first = firsts.get(arm.key);
    if (!first || arm.changes < first.changes) firsts.set(arm.key, arm);
  }
  return resolved.map(({ key, ...arm }) => {
    const { arm: first } = firsts.get(key)!;
    return { ...arm, sameAs: first === arm.arm ? null : first };
  });
}
