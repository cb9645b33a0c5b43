import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_TUNED_COMPONENTS } from './contract.js';

/**
 * The components that the patterns match, in the order of the suite: `*` matches any tool, or any place in its
 * parameters.
 * @param known those of the suite (`componentsOf`)
 * @throws ProblemError 422 for a pattern that matches nothing, and for too many components
 */
export function chooseComponents(patterns: readonly string[], known: Iterable<string>): string[] {
  const components = [...known];
  const chosen = new Set<string>();
  for (const [index, pattern] of patterns.entries()) {
    const found = components.filter((component) => matches(pattern, component));
    if (found.length === 0) throw unknownPattern(pattern, index, components);
    for (const component of found) chosen.add(component);
  }
  if (chosen.size > MAX_TUNED_COMPONENTS)
    throw new ProblemError(
      422,
      `The components match ${chosen.size} texts, and the maximum is ${MAX_TUNED_COMPONENTS}. Name only the tools ` +
        'whose descriptions matter.',
      [{ path: '/components', message: `matches ${chosen.size} texts` }],
    );
  return components.filter((component) => chosen.has(component));
}

const ANY_PARAMETER = /^tools\/([^/]+)\/parameters\/\*\/description$/;
const ANY_TOOL = /^tools\/\*\//;

function matches(pattern: string, component: string): boolean {
  const [, tool] = /^tools\/([^/]+)\//.exec(component) ?? [];
  const named = tool === undefined ? pattern : pattern.replace(ANY_TOOL, () => `tools/${tool}/`);
  const [, ofTool] = ANY_PARAMETER.exec(named) ?? [];
  return ofTool === undefined ? named === component : component.startsWith(`tools/${ofTool}/parameters/`);
}

const MAX_SHOWN = 5;

function unknownPattern(pattern: string, index: number, components: readonly string[]): ProblemError {
  const shown = components.slice(0, MAX_SHOWN).join(', ');
  const more = components.length > MAX_SHOWN ? ` and ${components.length - MAX_SHOWN} more` : '';
  return new ProblemError(
    422,
    `"${pattern.slice(0, 200)}" matches no text of the suite. It has ${shown}${more}; "*" matches any tool, or ` +
      'any place of its parameters.',
    [{ path: `/components/${index}`, message: 'matches no text of the suite' }],
  );
}
