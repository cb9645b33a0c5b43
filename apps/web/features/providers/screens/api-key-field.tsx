import type { Provider } from '#lib/contracts/provider';
import { useForm } from '../../../ui/form/json-form';
import { LabelledField } from '../../../ui/form/labelled-field';
import type { KeyChange } from './provider-value';

const MAX_KEY = 2000;

interface Props {
  /** The stored provider; undefined for a new one. */
  stored?: Pick<Provider, 'api_key_set' | 'api_key_last4'>;
  change: KeyChange;
  onChange: (change: KeyChange) => void;
}

/**
 * An endpoint's API key. It is sent once, stored encrypted, and never shown again; the browser does not keep it either.
 */
export function ApiKeyField({ stored, change, onChange }: Props) {
  const { errors, refusal } = useForm();
  const faults = errors.filter(({ path }) => path === '/api_key');
  return (
    <>
      <LabelledField label="API key" help={helpOf(stored, change)} faults={faults}>
        {(attributes) => (
          <input
            {...attributes}
            type="password"
            autoComplete="off"
            maxLength={MAX_KEY}
            readOnly={refusal !== undefined}
            value={change.to === 'another' ? change.key : ''}
            placeholder={stored?.api_key_set ? 'Enter another key to replace it' : ''}
            onChange={({ target }) =>
              onChange(target.value === '' ? { to: 'kept' } : { to: 'another', key: target.value })
            }
          />
        )}
      </LabelledField>
      {stored?.api_key_set && (
        <label className="check">
          <input
            type="checkbox"
            disabled={refusal !== undefined}
            checked={change.to === 'removed'}
            onChange={({ target }) => onChange({ to: target.checked ? 'removed' : 'kept' })}
          />
          Remove the key
        </label>
      )}
    </>
  );
}

function helpOf(stored: Props['stored'], change: KeyChange): string {
  if (!stored) return 'Stored encrypted and never shown again. Leave empty for an endpoint without a key.';
  if (change.to === 'removed') return 'Removed when you save.';
  if (!stored.api_key_set) return 'Not set. A key is stored encrypted and never shown again.';
  const { api_key_last4: last4 } = stored;
  return `Set${last4 === null ? '' : `, ends in ${last4}`}. Stored encrypted and never shown.`;
}
