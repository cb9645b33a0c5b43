import type { Change } from '#lib/contracts/comparison';
import { MAX_LISTED_CHANGES, type ToolChanges } from '#lib/contracts/suite-version';
import type { SuiteSettings } from '#lib/contracts/suite';
import { collectChanges, compareDefaults, compareTools, textOf } from './differences.js';

const SETTINGS = ['name', 'description', 'system_prompt', 'pass_threshold'] as const;

/**
 * The differences between two versions of a suite, apart from its cases. Tools of both versions are compared by field.
 */
export function suiteChanges(a: SuiteSettings, b: SuiteSettings): { settings: Change[]; tools: ToolChanges } {
  const [inA, inB] = [toolsByName(a), toolsByName(b)];
  const common = (suite: SuiteSettings) =>
    suite.tools.filter(({ function: { name } }) => inA.has(name) && inB.has(name));
  const settings = collectChanges((compare) => {
    for (const key of SETTINGS) compare([key], a[key], b[key]);
    compareDefaults(compare, ['conversation'], a.conversation, b.conversation);
    compareTools(compare, ['tools'], common(a), common(b));
  });
  return {
    settings: settings.slice(0, MAX_LISTED_CHANGES),
    tools: {
      added: [...inB.keys()].filter((name) => !inA.has(name)),
      removed: [...inA.keys()].filter((name) => !inB.has(name)),
      changed: [...inB].flatMap(([name, text]) => (inA.has(name) && inA.get(name) !== text ? [name] : [])),
    },
  };
}

const toolsByName = ({ tools }: SuiteSettings): Map<string, string> =>
  new Map(tools.map((tool) => [tool.function.name, textOf(tool)]));
