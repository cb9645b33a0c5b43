/** Whether a check succeeds within a second. */
export function checkHealth(check: Promise<unknown>): Promise<'up' | 'down'> {
  const late = new Promise<never>((_resolve, reject) =>
    setTimeout(() => reject(new Error('no answer within 1 s')), 1000).unref(),
  );
  return Promise.race([check, late]).then(
    () => 'up' as const,
    () => 'down' as const,
  );
}
