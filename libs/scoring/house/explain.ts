import type { CaseInput } from '#lib/contracts/case';
import type { ArgumentCheck, Verdict } from '#lib/contracts/verdict';
import { describeBound } from '../replies/reply-bounds.js';

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
};
const list = (names: string[]): string =>
  names
    .slice(0, 10)
    .map((name) => `"${name}"`)
    .join(', ') + (names.length > 10 ? ` and ${names.length - 10} more` : '');
const count = (calls: number): string => (calls === 1 ? '1 call' : `${calls} calls`);

/** Says in two or three plain sentences why a verdict is what it is. */
export function explain(verdict: Verdict, input: CaseInput): string[] {
  if (verdict.evidence.bound) {
    const first = verdict.called.length
      ? ` Its first ${verdict.called.length === 1 ? 'call is' : `${verdict.called.length} calls are`} kept.`
      : '';
    return [`${describeBound(verdict.evidence.bound)} Such a reply scores 0.${first}`];
  }
  const called = verdict.called.map((call) => call.name);
  const expected =
    input.expected_calls?.map((call) => [call.tool].flat().join('" or "')) ??
    (input.expected_tool ? [[input.expected_tool].flat().join('" or "')] : []);
  const sentences: string[] = [];
  if (verdict.abstention) {
    sentences.push(
      called.length === 0
        ? 'No tool should be called, and none was.'
        : `No tool should be called, but ${list(called)} was.`,
    );
  } else if (called.length === 0) {
    sentences.push(`${list(expected)} should be called, but the reply calls nothing.`);
  } else if (verdict.evidence.missing.length) {
    const missing = verdict.evidence.missing.map((index) => expected[index] ?? '');
    sentences.push(
      `${list(missing)} should be called; ${verdict.hops === undefined ? 'the reply' : 'the chain'} ` +
        `calls ${list(called)}${END[verdict.error_type] ?? ''}.`,
    );
  } else if (verdict.hops !== undefined) {
    sentences.push(
      `The chain reaches ${list(expected)} with ` +
        `${verdict.hops === 1 ? 'its first call' : `call ${verdict.hops}, after ${list(called.slice(0, -1))}`}.`,
    );
  } else {
    sentences.push(`The right ${expected.length === 1 ? 'tool was' : 'tools were'} called: ${list(expected)}.`);
  }
  const order = orderOf(verdict);
  if (order) sentences.push(order);
  const malformed = verdict.called.find((call) => call.arguments === null);
  if (malformed)
    sentences.push(`The arguments of "${malformed.name}" are not a JSON object: ${show(malformed.raw ?? '')}.`);
  const wrong = verdict.evidence.pairs
    .flatMap((pair) => pair.arguments)
    .filter((check) => check.verdict === 'mismatch' || check.verdict === 'missing');
  if (wrong.length)
    sentences.push(
      wrong.slice(0, 3).map(argument).join(' ') + (wrong.length > 3 ? ` And ${wrong.length - 3} more.` : ''),
    );
  else if (!malformed && verdict.param_score === 1) sentences.push('All expected arguments match.');
  const detours = detoursOf(verdict, input);
  if (detours) sentences.push(detours);
  if (verdict.error_type === 'extra_call')
    sentences.push(
      'The case allows no other call, but ' +
        `${list(verdict.evidence.unexpected.map((index) => called[index]!))} was made too.`,
    );
  if (verdict.format_compliance === 'repaired')
    sentences.push('The call was not in the native format and had to be repaired.');
  for (const note of verdict.evidence.notes ?? []) sentences.push(note);
  return sentences;
}

const END: Partial<Record<Verdict['error_type'], string>> = {
  round_limit: ' until its rounds run out',
  incomplete_chain: ' and nothing more',
};

const MOST_PAIRS_NAMED = 10;
/** Which call answers which expected one, where they do so in another order. */
function orderOf({ evidence: { pairs } }: Verdict): string {
  if (pairs.every(({ called }, index) => index === 0 || called > pairs[index - 1]!.called)) return '';
  const [first, ...others] = pairs
    .slice(0, MOST_PAIRS_NAMED)
    .map(({ called, expected }) => ({ call: ordinal(called + 1), place: ordinal(expected + 1) }));
  const rest =
    others.map(({ call, place }) => `, the ${call} call the ${place}`).join('') +
    (pairs.length > MOST_PAIRS_NAMED ? `, and ${pairs.length - MOST_PAIRS_NAMED} more` : '');
  return `The ${first!.call} call answers the ${first!.place} expected one${rest}.`;
}

const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const plural = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = (place: number): string => `${place}${ENDINGS[plural.select(place)] ?? 'th'}`;

/** What a chain that reached its end lost on the way. */
function detoursOf(
  { evidence, efficiency = 1, redundancy = 0, detour = 0, hops = 0 }: Verdict,
  input: CaseInput,
): string {
  if (evidence.missing.length) return '';
  const [repeated, aside] = [Math.round(redundancy * 10), Math.round(detour * 10)];
  return [
    efficiency < 1 &&
      `${count(hops)} were made where ${input.optimal_hops} would do (times ${show(Number(efficiency.toFixed(3)))}).`,
    repeated > 0 &&
      `${count(repeated)} ${repeated === 1 ? 'repeats' : 'repeat'} the one before (minus ${repeated / 10}).`,
    aside > 0 && `${count(aside)} ${aside === 1 ? 'is' : 'are'} no step on the way (minus ${aside / 10}).`,
  ]
    .filter(Boolean)
    .join(' ');
}

function argument(check: ArgumentCheck): string {
  return check.verdict === 'missing'
    ? `The argument ${check.path.slice(1)} is missing (expected ${show(check.expected)}).`
    : `The argument ${check.path.slice(1)} is ${show(check.actual)}, expected ${show(check.expected)} ` +
        `(${check.rule}${nearness(check)}).`;
}

/** How near a mismatch came; rounded away from what is needed. */
function nearness({ similarity, threshold, distance, epsilon }: ArgumentCheck): string {
  if (similarity !== undefined) return `: ${Math.floor(similarity * 1000 + 1e-9) / 1000} similar, ${threshold} needed`;
  return distance === undefined ? '' : `: ${distance} apart, ${epsilon} allowed`;
}
