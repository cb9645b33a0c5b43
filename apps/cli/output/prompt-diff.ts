import type { ComponentDiff, PromptVersion, PromptVersionHead, TextHunk } from '#lib/contracts/prompt-version';
import { percent, table } from './table.js';
import type { MarkedPart } from './terminal.js';

export const promptsTable = (versions: readonly PromptVersionHead[]): string[] =>
  table([
    ['version', 'label', 'tags', 'score', 'runs', 'texts', 'source', 'suite', 'created'],
    ...versions.map(({ id, label, tags, used, components_count, source, suite_id, created_at }) => [
      id,
      label || '-',
      tags.join(', ') || '-',
      percent(used.newest?.score ?? null),
      String(used.runs),
      String(components_count),
      source,
      suite_id ?? '(deleted)',
      created_at,
    ]),
  ]);

/** "3 runs; 91.2 % in Nightly 8" */
function useText({ runs, newest }: PromptVersionHead['used']): string {
  if (runs === 0) return 'no run';
  const measured = newest && `; ${percent(newest.score)} in ${newest.run.name ?? newest.run.id}`;
  return `${runs.toLocaleString('en')} ${runs === 1 ? 'run' : 'runs'}${measured ?? ''}`;
}

/** A prompt version as lines for a terminal. */
export const promptLines = (version: PromptVersion): string[] => [
  `Prompt version ${version.id}`,
  ...(version.label ? [`Label      ${version.label}`] : []),
  ...(version.tags.length ? [`Tags       ${version.tags.join(', ')}`] : []),
  `Suite      ${version.suite_id ?? '(deleted)'}`,
  `Created    ${version.created_at}, by ${version.created_by ?? 'a deleted user'} (${version.source})`,
  `Used by    ${useText(version.used)}`,
  ...(version.parent_id === null ? [] : [`Parent     ${version.parent_id}`]),
  ...(version.origin === null ? [] : [`Tune       ${version.origin.tune_id}, candidate ${version.origin.candidate}`]),
  ...textLines(version.components),
];

/** Texts by component, each below its name. */
export const textLines = (texts: PromptVersion['components']): string[] =>
  Object.entries(texts).flatMap(([component, text]) => ['', component, ...text.split('\n').map((line) => `  ${line}`)]);

/** Unchanged lines that are shown around a change. */
const CONTEXT = 2;

/** The differing texts as lines of marked parts. Of the unchanged lines, only those near a change are shown. */
export function diffLines(components: readonly Pick<ComponentDiff, 'component' | 'hunks'>[]): MarkedPart[][] {
  return components.flatMap(({ component, hunks }, index) => [
    ...(index > 0 ? [[]] : []),
    [{ op: 'same' as const, text: component }],
    ...nearChanges(linesOf(hunks)).map((line): MarkedPart[] => [{ op: 'same', text: '  ' }, ...line]),
  ]);
}

/** After a removed line break, the line visibly continues. */
function linesOf(hunks: readonly TextHunk[]): MarkedPart[][] {
  const lines: MarkedPart[][] = [[]];
  for (const { op, text } of hunks)
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)!.push({ op, text: part });
    }
  return lines;
}

function nearChanges(lines: MarkedPart[][]): MarkedPart[][] {
  const isShown = new Array<boolean>(lines.length).fill(false);
  for (const [at, line] of lines.entries())
    if (line.some(({ op }) => op !== 'same')) isShown.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  return lines.flatMap((line, at) => {
    if (isShown[at]) return [line];
    return at === 0 || isShown[at - 1] ? [[{ op: 'same' as const, text: '...' }]] : [];
  });
}
