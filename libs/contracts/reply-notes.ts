import type { Summary } from './summary.js';
import { syntaxName } from './values/verdicts.js';
import type { CallSyntax } from './verdict.js';

/** The settings of a run that limit replies. Recorded runs have none of them. */
type Config = Record<string, unknown>;

/** A model's replies that say little about how well it calls tools, or that its host could not parse. */
export interface ReplyFigures {
  target: string;
  /** The total number of replies. */
  scored: number;
  cutOff: number;
  /** The token limit of a reply; null if none was sent or it is unknown. */
  limit: number | null;
  refused: number;
  /** Replies with calls that the host left in the text in the syntax of a model family, the most frequent first. */
  syntaxes: [syntax: CallSyntax, replies: number][];
  /** Replies whose only call is in the thoughts. */
  onlyThought: number;
}

/** From this share of replies, calls in the text are not accidental. */
const NOTABLE_SHARE = 0.05;
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/** A server of an earlier release omits some counts. */
type Counts = Pick<Summary, 'target' | 'scored'> & Partial<Pick<Summary, 'error_counts' | 'syntax_counts'>>;

export function replyFigures(summary: Counts, config: Config): ReplyFigures {
  const {
    target,
    scored,
    error_counts: errors = {},
    syntax_counts: { json: _json, thoughts = 0, ...others } = {},
  } = summary;
  const isMany = (replies: number): boolean => replies > 0 && replies >= NOTABLE_SHARE * scored;
  return {
    target,
    scored,
    cutOff: errors.cut_off ?? 0,
    limit: limitOf(target, config),
    refused: errors.refused ?? 0,
    syntaxes: Object.entries(others)
      .filter(([, replies]) => isMany(replies))
      .sort(([, one], [, other]) => other - one)
      .map(([syntax, replies]) => [syntax as CallSyntax, replies]),
    onlyThought: isMany(thoughts) ? thoughts : 0,
  };
}

/** The params of a model override those of the run, and both override its settings. */
function limitOf(target: string, config: Config): number | null {
  const models = (Array.isArray(config.models) ? config.models : []) as Config[];
  const own = models.find(({ provider_key: key, model_id: id }) => `${String(key)}::${String(id)}` === target);
  for (const settings of [own?.params, config.params, config])
    for (const name of LIMITS) {
      const limit = (settings as Config | null | undefined)?.[name];
      if (typeof limit === 'number') return limit;
    }
  return null;
}

const number = (n: number): string => n.toLocaleString('en');

/** "at 1,024 tokens" */
export const atLimit = (limit: number | null): string =>
  limit === null ? 'at the token limit of the model or its host' : `at ${number(limit)} tokens`;

/** What to do about replies that were cut off. */
export const raiseLimit = (limit: number | null): string =>
  limit === null
    ? 'set max_tokens to what the model can write, or have it think less'
    : 'raise max_tokens, or set it to null for no limit';

/** Notes on a model's replies, in sentences. */
export function replyNotes(summary: Counts, config: Config): string[] {
  const { target, scored, cutOff, limit, refused, syntaxes, onlyThought } = replyFigures(summary, config);
  const replies = (n: number): string =>
    `${number(n)} of ${number(scored)} ${scored === 1 ? 'reply' : 'replies'} of ${target}`;
  const were = (n: number): string => (n === 1 ? 'was' : 'were');
  const score = (n: number): string => (n === 1 ? 'scores' : 'score');
  const notes = [
    cutOff > 0 &&
      `${replies(cutOff)} ${were(cutOff)} cut off ${atLimit(limit)} and ${score(cutOff)} 0: ${raiseLimit(limit)}.`,
    refused > 0 &&
      `${replies(refused)} ${were(refused)} refused by the model or cut by a filter, and ${score(refused)} 0.`,
    ...syntaxes.map(
      ([syntax, n]) =>
        `${replies(n)} had calls left in the text in the syntax of ${syntaxName(syntax)}: its host is set up for ` +
        'another model (tool-call parser).',
    ),
    onlyThought > 0 &&
      `${replies(onlyThought)} had a call only in the thoughts, which does not count: check the reasoning parser of ` +
        'its host.',
  ];
  return notes.filter((note) => note !== false);
}
