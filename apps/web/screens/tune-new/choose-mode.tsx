import { toText } from '#lib/contracts/json/json';
import { TUNE_MODES } from './modes';
import { NumberField } from '../../parts/form/fields';
import { useField } from '../../parts/form/form';
import { Faults } from '../../parts/set-up/labelled-field';

/** How combinations are chosen, with a sentence each. */
export function ChooseMode() {
  const { id, value, errors, refusal, set } = useField(['mode']);
  return (
    <fieldset aria-describedby={`${id}-faults`}>
      <legend>Mode</legend>
      {TUNE_MODES.map(([mode, words]) => (
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
      {value === 'random' && (
        <NumberField path={['trials']} label="Trials" help="How many combinations are tried of each model." />
      )}
    </fieldset>
  );
}
