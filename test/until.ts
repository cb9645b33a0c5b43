/** Polling intervals: the longer the wait, the rarer the checks, which leaves the machine to others. */
const [MIN_MS, MAX_MS, SHARE] = [20, 250, 1 / 8];

/**
 * Waits until `check` returns a truthy value and returns it. An exception from `check` counts as "not yet". Fails after
 * `timeoutMs` (60 s) and names `what` it waited for. A check is repeated within `everyMs`, for states that do not last.
 */
export async function until<Found>(
  check: () => Found | Promise<Found>,
  {
    timeoutMs = 60_000,
    what = String(check),
    everyMs = MAX_MS,
  }: { timeoutMs?: number; what?: string; everyMs?: number } = {},
): Promise<NonNullable<Found>> {
  let last: unknown;
  const began = Date.now();
  for (let waited = 0; waited < timeoutMs; waited = Date.now() - began) {
    try {
      last = await check();
      if (last) return last as NonNullable<Found>;
    } catch (error) {
      last = error;
    }
    const pause = Math.min(Math.max(MIN_MS, waited * SHARE), everyMs);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  const seen = last instanceof Error ? last.message : JSON.stringify(last);
  throw new Error(`Waited ${timeoutMs} ms for: ${what}. The last value was: ${seen}`);
}
