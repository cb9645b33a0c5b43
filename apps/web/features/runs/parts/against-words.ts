import type { RunAgainst } from '#lib/contracts/run';
import { count } from '../../../ui/amounts.js';
import { modelOf } from '#lib/contracts/target-name';

/** "+5.1", "-9.0", "0.0": a difference of shares in points. */
export function signedPoints(share: number): string {
  const text = (share * 100).toFixed(1);
  if (Number(text) === 0) return '0.0';
  return share > 0 ? `+${text}` : text;
}

export type AgainstLook = 'passed' | 'failed' | 'waiting' | 'plain';

/** What changed, in a few words: a model that got worse is never hidden by the mean of all. */
export function againstWords({ verdict, difference, regressed, worst }: RunAgainst): [text: string, look: AgainstLook] {
  const by = difference === null ? '' : `${signedPoints(difference)} points, `;
  if (verdict === 'regressed') return [`${by}worse`, 'failed'];
  if (regressed > 0 && worst?.difference != null) {
    const of = regressed === 1 ? `${modelOf(worst.target)} worse,` : `${count(regressed)} models worse, up to`;
    return [`${of} ${signedPoints(worst.difference)} points`, 'failed'];
  }
  if (verdict === 'improved') return [`${by}better`, 'passed'];
  if (verdict === 'same') return ['same', 'plain'];
  return [verdict === 'inconclusive' ? 'too close to call' : 'not comparable', 'waiting'];
}

/** The name of the run that it is compared with. */
const againstName = ({ run, kind }: RunAgainst): string =>
  run.name ?? (kind === 'baseline' ? 'the baseline' : 'the previous run');

/** "against Nightly 1; worst prompt-sensitive -22.5 points": what the few words leave out. */
export function againstDetail(against: RunAgainst): string {
  const { worst, regressed, improved } = against;
  const isMixed = regressed + improved > 0;
  const model =
    worst?.difference == null || !isMixed
      ? ''
      : `; worst ${modelOf(worst.target)} ${signedPoints(worst.difference)} points`;
  return `against ${againstName(against)}${model}`;
}
