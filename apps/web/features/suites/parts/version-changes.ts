import type { SuiteChanges } from '#lib/contracts/suite-version';

/** "2 cases added, 1 case changed, 1 tool removed, system prompt": what differs, on one line. */
export function changesInWords({ settings, tools, cases }: Pick<SuiteChanges, 'settings' | 'tools' | 'cases'>): string {
  const counted = (n: number, what: string, how: string): string[] =>
    n === 0 ? [] : [`${n.toLocaleString('en')} ${n === 1 ? what : `${what}s`} ${how}`];
  const parts = [
    ...KINDS.flatMap((kind) => counted(cases[kind], 'case', kind)),
    ...KINDS.flatMap((kind) => counted(tools[kind].length, 'tool', kind)),
    ...settings.map(({ path }) => path.replace(/^\//, '').replaceAll('_', ' ')),
  ];
  return parts.join(', ') || 'nothing';
}
const KINDS = ['added', 'removed', 'changed'] as const;
