import {
  escapeMarkdown,
  markdownDetails,
  markdownFence,
  markdownItem,
  markdownTable,
  MAX_COMMENT,
  Room,
} from './markdown.js';
import { diffLines, type MarkedPart } from './prompt-diff.js';
import {
  candidateName,
  changedText,
  lineageOf,
  madeText,
  promptCommands,
  promptOutcomeFacts,
  promptTuneFacts,
  rejectionFacts,
  stepText,
  whyText,
  type PromptTuneReport,
} from './prompt-tune-report.js';
import { beginning } from './table.js';
import { OUTCOME_WORDS, type Fact } from './tune-report.js';

/** Kept free for headings and for saying how much is left out. */
const RESERVED = 4000;
const MAX_NAME = 200;
const MAX_COMMAND = 8000;
const MAX_PART = 4000;

/** A tune of prompts and what it found, for a pull request, line by line. What does not fit into one is counted. */
export function promptTuneMarkdown(report: PromptTuneReport): string[] {
  const { tune } = report;
  const name = escapeMarkdown(beginning(tune.suite_name, MAX_NAME));
  const outcome = tune.outcome === null ? '' : `, ${OUTCOME_WORDS[tune.outcome]}`;
  const head = [
    `**Prompts tuned on ${name} v${tune.suite_version}: ${tune.status.replaceAll('_', ' ')}${outcome}.**`,
    '',
    ...items([['Tune', tune.id], ...promptTuneFacts(tune), ...promptOutcomeFacts(report)], MAX_COMMENT / 3),
    ...commands(report),
  ];
  const left = MAX_COMMENT - RESERVED - head.join('\n').length;
  return [
    ...head,
    ...changes(report, new Room(left / 2)),
    ...lineage(report, new Room(left / 4)),
    ...rejections(report, new Room(left / 4)),
  ];
}

const items = (facts: readonly Fact[], room: number): string[] =>
  new Room(room).fit(facts.map(([name, text]) => [markdownItem(`${name}: ${text}`)]));

function commands(report: PromptTuneReport): string[] {
  const lines = promptCommands(report).map(([, line]) => line);
  if (lines.length === 0) return [''];
  if (lines.join('\n').length <= MAX_COMMAND) return markdownFence(lines);
  return ['', `The command is long. It stands in what \`toolmark tunes show ${report.tune.id}\` prints.`, ''];
}

function changes({ tune, diff }: PromptTuneReport, room: Room): string[] {
  if (diff.length === 0) return [];
  const lines = diffLines(diff)
    .filter((line) => line.some(({ text }) => text.trim() !== ''))
    // The name of a component is one part; a line of its text has a margin before its parts.
    .map((line) => [line.length === 1 ? `- **${markedMarkdown(line)}**` : `  - ${markedMarkdown(line)}`]);
  return [`**From the base to ${candidateName(tune.best!)}**`, '', ...room.fit(lines), ''];
}

const TAGS = { same: ['', ''], removed: ['<del>', '</del>'], added: ['<ins>', '</ins>'] } as const;

/** A line of which some parts go or come. The space around a part stays outside its element. */
const markedMarkdown = (line: readonly MarkedPart[]): string =>
  line
    .map(({ op, text }) => {
      const part = beginning(text, MAX_PART);
      const [before, after] = TAGS[op];
      const escaped = escapeMarkdown(part);
      if (escaped === '') return part === '' ? '' : ' ';
      return `${/^\s/.test(part) ? ' ' : ''}${before}${escaped}${after}${/\s$/.test(part) ? ' ' : ''}`;
    })
    .join('')
    .trim();

function lineage(report: PromptTuneReport, room: Room): string[] {
  const steps = lineageOf(report);
  if (steps.length === 0) return [];
  const rows = steps.map((step) => [
    String(step.candidate),
    madeText(step),
    changedText(step),
    stepText(step, report.candidates),
    whyText(step),
  ]);
  return [
    `**How ${candidateName(report.tune.best!)} came about**`,
    '',
    ...markdownTable([['candidate', 'made', 'changed', 'score', 'why'], ...rows], room),
  ];
}

function rejections({ candidates }: PromptTuneReport, room: Room): string[] {
  const { count, texts } = rejectionFacts(candidates);
  if (count === 0) return [];
  const lines = room.fit(texts.map((text) => [markdownItem(text)]));
  return markdownDetails(`Rejected candidates: ${count}`, [...lines, '']);
}
