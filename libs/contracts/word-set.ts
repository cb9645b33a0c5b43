/** The set of the words in some lines, for tables of names. */
export const wordSet = (...lines: string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')));
