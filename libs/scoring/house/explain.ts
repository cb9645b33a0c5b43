import type { CaseInput } from '#lib/contracts/case';
import { argumentName } from '#lib/contracts/difference-words';
import { innerDifference } from '#lib/contracts/inner-difference';
import type { ArgumentCheck, Bound, ParsedCall, Verdict } from '#lib/contracts/verdict';
import type { ConversationEvidence } from '#lib/contracts/conversation-played';
import { asExpectedCalls, explainConversation } from '../conversation/explain.js';
import { describeBound } from '../replies/reply-bounds.js';
import { describeLookAlike } from './look-alike.js';

const MAX_SHOWN_CHARACTERS = 120;
const MAX_NAMES = 10;
const MAX_PAIRS_SHOWN = 10;
const MAX_ARGUMENTS_SHOWN = 3;

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS - 3)}...` : text;
};
const list = (names: string[]): string =>
  names
    .slice(0, MAX_NAMES)
    .map((name) => `"${name}"`)
    .join(', ') + (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '');
const count = (calls: number): string => (calls === 1 ? '1 call' : `${calls} calls`);

/** Explains a verdict in a few plain sentences. */
export function explain(verdict: Verdict, input: CaseInput): string[] {
  const { conversation } = verdict.evidence;
  if (conversation) return explainWithGoal(verdict, conversation, asExpectedCalls(input));
  if (verdict.evidence.bound) return [explainOversized(verdict, verdict.evidence.bound)];
  const ended = EXPLAINED_ENDINGS[verdict.error_type];
  if (ended) return [ended, ...(verdict.evidence.notes ?? [])];
  return [
    explainCalls(verdict, input),
    explainOrder(verdict),
    explainMalformed(verdict),
    explainArguments(verdict),
    explainPenalties(verdict, input),
    explainExtraCalls(verdict),
    verdict.format_compliance === 'repaired' && 'The call was not in the native format and had to be repaired.',
    explainSyntax(verdict),
    ...(verdict.evidence.notes ?? []),
  ].filter((sentence) => typeof sentence === 'string' && sentence !== '') as string[];
}

/** A conversation: how it went, and how its calls are those of the goal, if it names any. */
function explainWithGoal(verdict: Verdict, conversation: ConversationEvidence, input: CaseInput): string[] {
  const { bound, notes = [] } = verdict.evidence;
  const ofCalls = conversation.calls === null ? [] : explainGoalCalls(verdict, input);
  const limit = bound ? [describeBound(bound)] : [];
  const all = [...explainConversation(verdict, conversation), ...limit, ...ofCalls, explainMalformed(verdict)];
  return [...all, explainSyntax(verdict), ...notes].filter((sentence) => sentence !== '');
}

const explainGoalCalls = (verdict: Verdict, input: CaseInput): string[] => {
  const { missing, unexpected, pairs } = verdict.evidence;
  const expected = expectedNames(input);
  if (expected.length === 0)
    return [
      verdict.called.length === 0
        ? 'No tool should be called, and none was.'
        : `No tool should be called, but ${list(verdict.called.map(({ name }) => name))} ` +
          `${unexpected.length === 1 ? 'was' : 'were'}.`,
    ];
  const place = missing.length === 1 ? ' in its place' : ' in their places';
  const made = missing.length
    ? `The goal's ${list(missing.map((index) => expected[index] ?? ''))} ` +
      `${missing.length === 1 ? 'was' : 'were'} not called` +
      `${input.conversation?.goal.call_order === 'strict' ? place : ''}.`
    : pairs.length === 1
      ? 'The call of the goal was made.'
      : `All ${pairs.length} calls of the goal were made.`;
  return [made, explainOrder(verdict), explainArguments(verdict), explainExtraCalls(verdict)];
};

const EXPLAINED_ENDINGS: Partial<Record<Verdict['error_type'], string>> = {
  refused: "The model declined to answer, or its host's filter cut the reply. Such a reply scores 0.",
  cut_off:
    'The reply ended at its token limit before its call was whole. Such a reply scores 0: raise max_tokens, ' +
    'or leave it out.',
};

function explainSyntax({ evidence: { syntax } }: Verdict): string {
  if (syntax === undefined || syntax === 'thoughts') return '';
  return syntax === 'json'
    ? 'The host left the call in the text, as JSON.'
    : `The host left the call in the text, in the syntax "${syntax}": it is set up for another model.`;
}

function explainOversized({ called }: Verdict, bound: Bound): string {
  const kept = called.length === 1 ? 'call is' : `${called.length} calls are`;
  return `${describeBound(bound)} Such a reply scores 0.${called.length ? ` Its first ${kept} kept.` : ''}`;
}

/** The expected and the called tools. */
function explainCalls(verdict: Verdict, input: CaseInput): string {
  const called = verdict.called.map((call) => call.name);
  const isChain = verdict.hops !== undefined;
  const expected = expectedNames(input);
  const { missing } = verdict.evidence;
  if (verdict.abstention) {
    if (called.length === 0) return 'No tool should be called, and none was.';
    return `No tool should be called, but ${list(called)} ${called.length === 1 ? 'was' : 'were'}.`;
  }
  if (called.length === 0) return `${list(expected)} should be called, but the reply calls nothing.`;
  if (missing.length > 0) {
    const names = missing.map((index) => expected[index] ?? '');
    const caller = isChain ? 'the chain' : 'the reply';
    const ending = CHAIN_ENDINGS[verdict.error_type] ?? '';
    return `${list(names)} should be called; ${caller} calls ${list(called)}${ending}.`;
  }
  if (isChain) {
    const call = verdict.hops === 1 ? 'its first call' : `call ${verdict.hops}, after ${list(called.slice(0, -1))}`;
    return `The chain reaches ${list(expected)} with ${call}.`;
  }
  return `The right ${expected.length === 1 ? 'tool was' : 'tools were'} called: ${list(expected)}.`;
}

const expectedNames = ({ expected_calls: calls, expected_tool: tool }: CaseInput): string[] =>
  calls?.map((call) => [call.tool].flat().join('" or "')) ?? (tool ? [[tool].flat().join('" or "')] : []);

const CHAIN_ENDINGS: Partial<Record<Verdict['error_type'], string>> = {
  round_limit: ' until its rounds run out',
  incomplete_chain: ' and nothing more',
};

/** Which call answers which expected call, if their orders differ. */
function explainOrder({ evidence: { pairs } }: Verdict): string {
  const isInOrder = pairs.every(({ called }, index) => index === 0 || called > pairs[index - 1]!.called);
  if (isInOrder) return '';
  const [first, ...others] = pairs
    .slice(0, MAX_PAIRS_SHOWN)
    .map(({ called, expected }) => ({ call: ordinal(called + 1), place: ordinal(expected + 1) }));
  const rest =
    others.map(({ call, place }) => `, the ${call} call the ${place}`).join('') +
    (pairs.length > MAX_PAIRS_SHOWN ? `, and ${pairs.length - MAX_PAIRS_SHOWN} more` : '');
  return `The ${first!.call} call answers the ${first!.place} expected one${rest}.`;
}

const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const plural = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = (place: number): string => `${place}${SUFFIXES[plural.select(place)] ?? 'th'}`;

const malformedCall = ({ called }: Verdict): ParsedCall | undefined => called.find((call) => call.arguments === null);

function explainMalformed(verdict: Verdict): string {
  const call = malformedCall(verdict);
  return call ? `The arguments of "${call.name}" are not a JSON object: ${show(call.raw ?? '')}.` : '';
}

function explainArguments(verdict: Verdict): string {
  const wrong = verdict.evidence.pairs
    .flatMap((pair) => pair.arguments)
    .filter((check) => check.verdict === 'mismatch' || check.verdict === 'missing');
  if (wrong.length > 0) {
    const more = wrong.length > MAX_ARGUMENTS_SHOWN ? ` And ${wrong.length - MAX_ARGUMENTS_SHOWN} more.` : '';
    return wrong.slice(0, MAX_ARGUMENTS_SHOWN).map(explainArgument).join(' ') + more;
  }
  return !malformedCall(verdict) && verdict.param_score === 1 ? 'All expected arguments match.' : '';
}

function explainExtraCalls({ error_type, called, evidence }: Verdict): string {
  if (error_type !== 'extra_call') return '';
  const names = evidence.unexpected.map((index) => called[index]!.name);
  return `The case allows no other call, but the reply also calls ${list(names)}.`;
}

/** The penalties of a chain that called its expected tool. */
function explainPenalties(
  { evidence, efficiency = 1, redundancy = 0, detour = 0, hops = 0 }: Verdict,
  input: CaseInput,
): string {
  if (evidence.missing.length) return '';
  const [repeated, aside] = [Math.round(redundancy * 10), Math.round(detour * 10)];
  const factor = show(Number(efficiency.toFixed(3)));
  return [
    efficiency < 1 && `The chain makes ${count(hops)} where ${input.optimal_hops} would do (times ${factor}).`,
    repeated > 0 &&
      `${count(repeated)} ${repeated === 1 ? 'repeats' : 'repeat'} the one before (minus ${repeated / 10}).`,
    aside > 0 && `${count(aside)} ${aside === 1 ? 'is not a step' : 'are not steps'} on the way (minus ${aside / 10}).`,
  ]
    .filter(Boolean)
    .join(' ');
}

function explainArgument(check: ArgumentCheck): string {
  const name = argumentName(check.path);
  const { expected, actual } = innerDifference(check);
  if (check.verdict === 'missing') {
    return check.actual === null
      ? `The argument ${name} is null, which counts as left out (expected ${show(expected)}).`
      : `The argument ${name} is missing (expected ${show(expected)}).`;
  }
  const difference =
    `The argument ${name} is ${show(actual)}, expected ${show(expected)} ` +
    `(${check.rule}${explainSimilarity(check)}).`;
  return [difference, check.note, describeLookAlike(check)].filter(Boolean).join(' ');
}

/** How close a mismatch came, rounded away from the required value. */
function explainSimilarity({ similarity, threshold, distance, epsilon }: ArgumentCheck): string {
  if (similarity !== undefined) return `: ${Math.floor(similarity * 1000 + 1e-9) / 1000} similar, ${threshold} needed`;
  return distance === undefined ? '' : `: ${distance} apart, ${epsilon} allowed`;
}
