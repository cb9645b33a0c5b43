import type { TuneArm } from '#lib/param-tune/contract';
import {
  escapeMarkdown,
  markdownDetails,
  markdownFence,
  markdownItem,
  markdownTable,
  MAX_COMMENT,
  MAX_SENTENCE,
  Room,
} from './markdown.js';
import { needsPromptFile, PROMPT_FILE, runCommand } from './run-command.js';
import { beginning, dollars } from './table.js';
import {
  armConfig,
  armName,
  armsOf,
  isDistinct,
  meanText,
  milliseconds,
  OUTCOME_WORDS,
  overallFacts,
  rankArms,
  targetFacts,
  tuneFacts,
  type Fact,
  type TuneReport,
  type TuneTarget,
} from './tune-report.js';

/** Kept free for headings and for saying how much is left out. */
const RESERVED = 4000;
/** What a model takes at least: its headings and fences, and saying how much is left out. */
const RESERVED_FOR_MODEL = 400;
const MAX_COMMAND = 8000;
const MAX_NAME = 200;

/** A tune and what it found, for a pull request, line by line. What does not fit into a comment is counted. */
export function tuneMarkdown(report: TuneReport): string[] {
  const { tune } = report;
  const room = new Room(MAX_COMMENT - RESERVED);
  const name = escapeMarkdown(beginning(tune.suite_name, MAX_NAME));
  const head = [
    `**Parameters tuned on ${name} v${tune.suite_version}: ${tune.status.replaceAll('_', ' ')}.**`,
    '',
    ...items([['Tune', tune.id], ...tuneFacts(tune)], room),
    ...items(overallFacts(tune), room),
  ];
  const left = MAX_COMMENT - RESERVED - head.join('\n').length;
  const each = Math.floor(left / Math.max(1, tune.targets.length)) - RESERVED_FOR_MODEL;
  return [...head, ...tune.targets.flatMap((target) => oneModel(report, target, new Room(Math.max(0, each))))];
}

const items = (facts: readonly Fact[], room: Room): string[] =>
  room.fit(facts.map(([name, text]) => [markdownItem(`${name}: ${text}`)]));

function oneModel(report: TuneReport, target: TuneTarget, room: Room): string[] {
  const arms = armsOf(report, target.target);
  const ranked = rankArms(arms.filter((arm) => isDistinct(arm) && arm.state !== 'waiting'));
  const outcome = target.outcome === null ? 'no answer' : OUTCOME_WORDS[target.outcome];
  return [
    '',
    ...room.fit([[`**${escapeMarkdown(beginning(target.target, MAX_NAME))}: ${outcome}**`, '']]),
    ...items(targetFacts(report, target), room),
    ...command(report, target, room),
    ...table(
      ranked.filter(({ state }) => state !== 'dropped'),
      room,
    ),
    ...folded(
      'Dropped arms',
      ranked.filter(({ state }) => state === 'dropped'),
      room,
    ),
    ...duplicates(arms, room),
  ];
}

function command({ tune }: TuneReport, { target, recommended }: TuneTarget, room: Room): string[] {
  if (!recommended) return [''];
  const line = runCommand(tune, target, recommended.config);
  if (line.length > MAX_COMMAND)
    return room.fit([['', `The command is long. It stands in what \`toolmark tunes show ${tune.id}\` prints.`, '']]);
  const file = `\`${PROMPT_FILE}\` holds the system prompt of the tune.`;
  return room.fit([[...markdownFence([line]), ...(needsPromptFile(line) ? [file, ''] : [])]]);
}

function table(ranked: readonly TuneArm[], room: Room): string[] {
  return markdownTable(
    [
      ['arm', 'configuration', 'state', 'mean (95 %)', 'cases', 'cost/case', 'p50', 'p95', 'errored', 'adjustments'],
      ...ranked.map((arm) => [
        arm.arm === 0 ? '0 base' : String(arm.arm),
        armConfig(arm),
        arm.tied && arm.state !== 'recommended' ? `${arm.state}, as good` : arm.state,
        meanText(arm),
        String(arm.cases),
        dollars(arm.cost_per_case_usd),
        milliseconds(arm.latency_p50_ms),
        milliseconds(arm.latency_p95_ms),
        String(arm.errored),
        beginning(arm.adjustments.join('; '), MAX_SENTENCE),
      ]),
    ],
    room,
  );
}

const folded = (name: string, arms: readonly TuneArm[], room: Room): string[] =>
  arms.length ? markdownDetails(`${name}: ${arms.length}`, table(arms, room)) : [];

/** Arms that make the same requests as another. */
function duplicates(arms: readonly TuneArm[], room: Room): string[] {
  const same = arms.filter((arm) => !isDistinct(arm));
  if (same.length === 0) return [];
  const each = same.map((arm) => [markdownItem(`Arm ${armName(arm)} is as arm ${arm.same_as}`)]);
  return markdownDetails(`Arms that make the same requests as another: ${same.length}`, [...room.fit(each), '']);
}
