import type { LabelName } from '#lib/contracts/label';
import { AllowedButton } from '../../../ui/buttons';
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
  /** The earlier label. */
  chosen?: LabelName;
  /** Whether the keys are shortcuts of the view. */
  hasKeys?: boolean;
  refusal?: string;
}

/** One button for each label. */
export const LabelButtons = ({ choose, isPending, chosen, hasKeys = false, refusal }: Props) =>
  LABEL_KEYS.map(([label, key, meaning], index) => (
    <AllowedButton
      key={label}
      // The reason is given once, not three times.
      refusal={index === LABEL_KEYS.length - 1 ? refusal : undefined}
      disabled={isPending || refusal !== undefined}
      title={refusal ?? meaning}
      aria-pressed={hasKeys ? undefined : label === chosen}
      aria-keyshortcuts={hasKeys ? key : undefined}
      onClick={() => choose(label)}
    >
      {label} {hasKeys && <kbd className={css.key}>{key}</kbd>}
    </AllowedButton>
  ));
