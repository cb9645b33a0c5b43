/**
 * Waits until `check` returns something truthy and returns it. An error that `check` throws counts as "not yet". Fails
 * after `timeoutMs` (60 s) and names `what` it waited for.
 */
export async function until<Found>(
  check: () => Found | Promise<Found>,
  { timeoutMs = 60_000, what = String(check) }: { timeoutMs?: number; what?: string } = {},
): Promise<NonNullable<Found>> {
  let last: unknown;
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    try {
      last = await check();
      if (last) return last as NonNullable<Found>;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const seen = last instanceof Error ? last.message : JSON.stringify(last);
  throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}. The last look gave: ${seen}`);
}
