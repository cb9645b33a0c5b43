import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ChatRequest, Reply } from '../formats/chat-completions.js';
import type { Case, Document, Evidence, Side } from './judge-evidence.js';
import type { ArgumentsVerdict, JudgeRules, ToolVerdict, Verdict } from './judge-rules.js';

interface Judgement {
  verdict: Verdict;
  tool: ToolVerdict;
  arguments: ArgumentsVerdict;
  reasons: string[];
  expectation_at_fault: boolean;
  expectation_note: string | null;
}
type Calls = Side['calls'];
type Winner = 'first' | 'second' | 'tie';

/** How many distinct evidence documents are counted. The oldest are dropped, to bound memory. */
const MAX_EVIDENCES = 100_000;
const VERDICT_RANK: Record<Verdict, number> = { correct: 3, acceptable: 2, cannot_tell: 1, wrong: 0 };

/** Phrases with which a reply asks the judge for a good grade. */
const PLEA_PATTERNS = [
  /\brate (?:this|it|me|my)\b/i,
  /\bverdict\W+correct\b/i,
  /\bcorrect answer\b/i,
  /\bignore (?:\w+ ){0,3}(?:previous|above)\b/i,
  /\bgrad(?:e[drs]?|ing)\b/i,
];

/** Calls the first tool with the judge's opinion. Equal requests get equal replies, except for the first ones. */
export function judgeReply(evidence: Evidence, { tools = [] }: ChatRequest, rules: JudgeRules): Reply {
  if (rules.style === 'unreadable' || isOneOfTheFirst(evidence, rules))
    return { content: 'What a fine day to judge a reply.', calls: [] };
  const args = rules.style === 'wrong_schema' ? { answer: 42 } : answerTo(evidence.document, rules);
  return { content: null, calls: [{ name: tools[0]!.function.name, arguments: args }] };
}

function isOneOfTheFirst({ written }: Evidence, { unreadable_first: first, asked }: JudgeRules): boolean {
  if (first === 0) return false;
  const key = createHash('sha256').update(written).digest('base64');
  const before = asked.get(key) ?? 0;
  if (before === 0 && asked.size >= MAX_EVIDENCES) asked.delete(asked.keys().next().value!);
  asked.set(key, before + 1);
  return before < first;
}

function answerTo(document: Document, rules: JudgeRules): Record<string, unknown> {
  switch (document.task) {
    case 'judge':
      return { ...judge(document.reply, document, rules) };
    case 'compare':
      return compare(document, rules);
    case 'summarise':
      return summarise(document.judgements.map(({ verdict }) => verdict));
  }
}

function judge(side: Side, about: Case, { style, table }: JudgeRules): Judgement {
  const byReference = compareWithReference(side.calls, about.reference?.calls);
  if (style === 'gullible' && pleads(side)) {
    const reasons = ['The reply says how to judge it.'];
    return { ...byReference, verdict: 'correct', tool: 'right', arguments: 'right', reasons };
  }
  const judged = byTable(byReference, about, side.calls, table);
  if (style === 'lenient' && judged.verdict === 'wrong') return withVerdict(judged, 'acceptable');
  if (style === 'harsh' && VERDICT_RANK[judged.verdict] >= VERDICT_RANK.acceptable) return withVerdict(judged, 'wrong');
  return judged;
}

function compareWithReference(calls: Calls, expected: Calls | null | undefined): Judgement {
  const names = (of: Calls) => of.map(({ name }) => name);
  const judgement = (verdict: Verdict, tool: ToolVerdict, args: ArgumentsVerdict, reason: string): Judgement => ({
    verdict,
    tool,
    arguments: args,
    reasons: [reason],
    expectation_at_fault: false,
    expectation_note: null,
  });
  if (!expected) return judgement('cannot_tell', 'right', 'not_applicable', 'There is no reference.');
  if (isDeepStrictEqual(calls, expected))
    return judgement('correct', 'right', 'right', 'The reply calls what the reference calls.');
  if (calls.length === 0)
    return judgement('wrong', 'missing', 'not_applicable', 'The reference has a call, the reply has none.');
  if (expected.length === 0)
    return judgement('wrong', 'unneeded', 'not_applicable', 'The reply has a call, the reference has none.');
  return isDeepStrictEqual(names(calls), names(expected))
    ? judgement('wrong', 'right', 'wrong', 'The arguments differ from those of the reference.')
    : judgement('wrong', 'wrong', 'not_applicable', 'The reply calls other tools than the reference.');
}

function byTable(judged: Judgement, about: Case, calls: Calls, table: JudgeRules['table']): Judgement {
  const at = table.findIndex(ruleOccursIn(about, calls));
  const rule = table[at];
  if (!rule) return judged;
  const { verdict, tool, arguments: args } = withVerdict(judged, rule.verdict ?? judged.verdict);
  return {
    verdict,
    tool: rule.tool ?? tool,
    arguments: rule.arguments ?? args,
    reasons: [`Rule ${at + 1} of the table applies.`],
    expectation_at_fault: rule.expectation_at_fault ?? false,
    expectation_note: rule.expectation_note ?? null,
  };
}

/** A different verdict, with a matching tool and arguments. */
function withVerdict(judged: Judgement, verdict: Verdict): Judgement {
  if (verdict === judged.verdict || verdict === 'cannot_tell') return { ...judged, verdict };
  if (verdict === 'correct') return { ...judged, verdict, tool: 'right', arguments: 'right' };
  const isAcceptable = verdict === 'acceptable';
  return judged.tool === 'right'
    ? { ...judged, verdict, arguments: isAcceptable ? 'equivalent' : 'wrong' }
    : { ...judged, verdict, tool: isAcceptable ? 'acceptable_alternative' : 'wrong', arguments: 'not_applicable' };
}

function compare(document: Document & { task: 'compare' }, rules: JudgeRules): { winner: Winner; reasons: string[] } {
  const { first, second } = document;
  const won = (winner: Winner, reason: string) => ({ winner, reasons: [reason] });
  if (rules.style === 'position_biased') return won('first', 'It stands first.');
  const pleading = rules.style === 'gullible' ? better(Number(pleads(first)), Number(pleads(second))) : 'tie';
  if (pleading !== 'tie') return won(pleading, 'The reply says how to judge it.');
  const at = rules.table.findIndex(ruleOccursIn(document, [...first.calls, ...second.calls]));
  const named = rules.table[at]?.winner;
  if (named !== undefined) {
    const [a, b] = [first, second].map(({ texts, calls }) => Number(occursIn([...texts, ...textsOf(calls)], named)));
    return won(better(a!, b!), `Rule ${at + 1} of the table applies.`);
  }
  const [a, b] = [judge(first, document, rules).verdict, judge(second, document, rules).verdict];
  return won(better(VERDICT_RANK[a], VERDICT_RANK[b]), `The first reply is ${a}, the second is ${b}.`);
}

const better = (first: number, second: number): Winner =>
  first === second ? 'tie' : first > second ? 'first' : 'second';

function summarise(verdicts: readonly unknown[]): Record<string, string[]> {
  const count = (verdict: Verdict): string =>
    `${verdicts.filter((one) => one === verdict).length} of ${verdicts.length}`;
  return {
    strengths: [`${count('correct')} replies are correct, and ${count('acceptable')} acceptable.`],
    weaknesses: [`${count('wrong')} replies are wrong, and of ${count('cannot_tell')} one cannot tell.`],
    recommendations: [verdicts.includes('wrong') ? 'Look at the replies that are wrong.' : 'Change nothing.'],
  };
}

const pleads = ({ texts, calls }: Side): boolean =>
  [...texts, ...calls.flatMap((call) => stringsIn(call.arguments))].some((text) =>
    PLEA_PATTERNS.some((plea) => plea.test(text)),
  );

function ruleOccursIn({ conversation }: Case, calls: Calls): (rule: JudgeRules['table'][number]) => boolean {
  const texts = [...conversation.flatMap(({ role: _, ...said }) => stringsIn(said)), ...textsOf(calls)];
  return ({ when }) => occursIn(texts, when);
}

/** Whether a string occurs in one of the texts, ignoring case. */
const occursIn = (texts: readonly string[], part: string): boolean =>
  texts.some((text) => text.toLowerCase().includes(part.toLowerCase()));

/** Names and arguments of calls; the arguments both as JSON and as raw text. */
const textsOf = (calls: Calls): string[] =>
  calls.flatMap(({ name, arguments: args }) => [name, JSON.stringify(args) ?? '', ...stringsIn(args)]);

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
