import { visible } from './given';

interface FilterChoiceProps {
  label: string;
  /** What can be chosen, and its words, in the order in which they are listed. */
  choices: readonly (readonly [value: string, words: string])[];
  /** What is said where nothing is chosen. */
  none?: string;
  value: string | undefined;
  choose: (value: string | undefined) => void;
}

/** What a list is narrowed to. A value that is not among the choices stands there as it is. */
export function FilterChoice({ label, choices, none = 'any', value, choose }: FilterChoiceProps) {
  const isListed = choices.some(([one]) => one === value);
  return (
    <label>
      {label}{' '}
      <select
        data-filter
        className="bounded"
        value={value ?? ''}
        onChange={({ target }) => choose(target.value || undefined)}
      >
        <option value="">{none}</option>
        {value !== undefined && !isListed && <option value={value}>{visible(value)}</option>}
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
