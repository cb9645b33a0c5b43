const collator = new Intl.Collator('en', { numeric: true });

/** Order of names as people expect it: "area-2" before "area-10". */
export const naturalOrder = (one: string, other: string): number => collator.compare(one, other);
