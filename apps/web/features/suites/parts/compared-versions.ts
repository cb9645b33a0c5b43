/** The two compared versions, the earlier one first; undefined if there is no other. */
export function comparedVersions(
  shown: number,
  asked: number | undefined,
  versions: readonly { version: number; is_current: boolean }[],
): { from: number; to: number } | undefined {
  const other = asked ?? otherOf(shown, versions);
  if (other === undefined || other === shown) return undefined;
  return { from: Math.min(shown, other), to: Math.max(shown, other) };
}

/** The current version, or for the current one the latest before it. */
function otherOf(shown: number, versions: readonly { version: number; is_current: boolean }[]): number | undefined {
  const present = versions.find(({ is_current }) => is_current)?.version;
  if (present !== shown) return present;
  return versions.find(({ version }) => version < shown)?.version;
}
