import { visible } from './user-text';

interface FilterChoiceProps {
  label: string;
  /** The options and their labels, in list order. */
  choices: readonly (readonly [value: string, words: string])[];
  /** The label of no choice. */
  none?: string;
  value: string | undefined;
  choose: (value: string | undefined) => void;
}

/** A filter of a list. A value that is not among the choices is shown unchanged. */
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
