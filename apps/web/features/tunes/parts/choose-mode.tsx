import type { ReactNode } from 'react';
import { toText } from '#lib/contracts/json/json';
import { useField } from '../../../ui/form/json-form';
import { Faults } from '../../../ui/form/labelled-field';

interface Props {
  modes: readonly (readonly [mode: string, words: string])[];
  /** The choices that the mode needs. */
  children?: ReactNode;
}

/** How a tune searches, with a sentence for each mode. */
export function ChooseMode({ modes, children }: Props) {
  const { id, value, errors, refusal, set } = useField(['mode']);
  return (
    <fieldset aria-describedby={`${id}-faults`}>
      <legend>Mode</legend>
      {modes.map(([mode, words]) => (
        <label key={mode} className="mode">
          <input
            type="radio"
            name={id}
            disabled={refusal !== undefined}
            title={refusal}
            checked={toText(value) === mode}
            onChange={() => set(mode)}
          />
          <span>
            <strong>{mode}</strong> <span className="muted">{words}</span>
          </span>
        </label>
      ))}
      <div id={`${id}-faults`} className="small">
        <Faults faults={errors} />
      </div>
      {children}
    </fieldset>
  );
}
