import { parseComponent } from '#lib/contracts/prompt-components';

/**
 * The component to rewrite: the one whose tool occurs in the most failures, as expected or called, relative to the
 * number of its earlier rewrites. This way a component that does not help does not block the others.
 * @param components one group of components, of the same kind
 * @param failures the tools of each failed case
 * @param tries how often each component was rewritten for this parent
 */
export function pickComponent(
  components: readonly string[],
  failures: readonly (readonly string[])[],
  tries: ReadonlyMap<string, number>,
): string {
  const counts = new Map<string, number>();
  for (const tool of failures.flat()) counts.set(tool.toLowerCase(), (counts.get(tool.toLowerCase()) ?? 0) + 1);
  const triesOf = (component: string): number => tries.get(component) ?? 0;
  const promiseOf = (component: string): number =>
    (counts.get(toolOf(component) ?? '') ?? 0) / (1 + triesOf(component));
  const [first] = components.toSorted((a, b) => promiseOf(b) - promiseOf(a) || triesOf(a) - triesOf(b));
  return first!;
}

function toolOf(component: string): string | undefined {
  const parsed = parseComponent(component);
  return parsed && parsed.of !== 'system_prompt' ? parsed.tool.toLowerCase() : undefined;
}
