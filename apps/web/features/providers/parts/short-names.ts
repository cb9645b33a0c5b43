/** Names without the folders that come before them, where that leaves them apart. */
export function shortNames(names: readonly string[]): (name: string) => string {
  // A display name may have a slash between its words.
  const endOf = (name: string): string => (/\s/.test(name) ? name : name.slice(name.lastIndexOf('/') + 1) || name);
  const owners = new Map<string, Set<string>>();
  for (const name of names) owners.set(endOf(name), (owners.get(endOf(name)) ?? new Set()).add(name));
  return (name) => (owners.get(endOf(name))?.size === 1 ? endOf(name) : name);
}
