import type { LabelName } from '#lib/contracts/label';
import css from './judge.module.css';

/**
 * A person's possible labels of a result, with their keys. Not imported from the contract, whose code is larger than
 * this.
 */
export const LABEL_KEYS: readonly (readonly [label: LabelName, key: string, meaning: string])[] = [
  ['correct', 'c', 'As expected'],
  ['acceptable', 'a', 'Different, but serves the user equally well'],
  ['wrong', 'w', 'Does not serve the user'],
];

interface Props {
  choose: (label: LabelName) => void;
  isPending: boolean;
  /** The earlier label, or null for none; undefined where labels are given one after the other. */
  chosen?: LabelName | null;
  /** Why they are disabled; said next to them. */
  refusal?: string | undefined;
}

/** One button for each label, with its key. */
export const LabelButtons = ({ choose, isPending, chosen, refusal }: Props) =>
  LABEL_KEYS.map(([label, key, meaning]) => (
    <button
      key={label}
      type="button"
      className={chosen === undefined ? undefined : 'dense'}
      disabled={isPending || refusal !== undefined}
      title={refusal ?? meaning}
      aria-pressed={chosen === undefined ? undefined : label === chosen}
      aria-keyshortcuts={key}
      onClick={() => choose(label)}
    >
      {label} <kbd className={css.key}>{key}</kbd>
    </button>
  ));
