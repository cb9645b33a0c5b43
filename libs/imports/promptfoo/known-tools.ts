import { isObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';

/** A tool as named by an assertion, and the names that it may refer to. */
export interface Step {
  name: string;
  accepted: string[];
}

/** The tools of a test, used to resolve name patterns. */
export class KnownTools {
  readonly names: readonly string[];
  readonly #tools: Map<string, Tool>;

  constructor(tools: readonly Tool[]) {
    this.names = tools.map((tool) => tool.function.name);
    this.#tools = new Map(tools.map((tool) => [tool.function.name, tool]));
  }

  /** The tools that a name or pattern refers to. Without a list of tools, a name refers to itself. */
  matching(pattern: string): string[] {
    if (this.names.length === 0) return /[*?]/.test(pattern) ? [] : [pattern];
    return this.names.filter((name) => matchesPattern(name, pattern));
  }

  /** Whether the tool's schema expects a string for this argument. */
  takesText({ accepted }: Step, argument: string): boolean {
    return accepted.some((name) => {
      const properties = this.#tools.get(name)?.function.parameters?.properties;
      const schema = isObject(properties) && Object.hasOwn(properties, argument) ? properties[argument] : undefined;
      return isObject(schema) && [schema.type ?? []].flat().includes('string');
    });
  }
}

/** Longer patterns match no name: a name has at most 128 characters, with stars in between. */
const MAX_PATTERN_LENGTH = 1000;

/** Matches ignoring case, with "*" for any characters and "?" for one. */
export function matchesPattern(text: string, pattern: string): boolean {
  const [name, glob] = [text.toLowerCase(), pattern.toLowerCase()];
  if (glob.length > MAX_PATTERN_LENGTH) return false;
  let [at, from] = [0, 0];
  let star: { at: number; from: number } | undefined;
  while (at < name.length) {
    if (glob[from] === '*') star = { at, from: ++from };
    else if (from < glob.length && (glob[from] === '?' || glob[from] === name[at])) {
      at++;
      from++;
    } else if (star) [at, from] = [++star.at, star.from];
    else return false;
  }
  while (glob[from] === '*') from++;
  return from === glob.length;
}
