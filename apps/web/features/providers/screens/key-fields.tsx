import { useQuery } from '@tanstack/react-query';
import { keyInWords } from '#lib/contracts/provider-words';
import { ChoiceField } from '../../../ui/form/fields';
import { LabelledField, useForm } from '../../../ui/form/json-form';
import { keyRefsQuery } from '../api';
import { refOf, type Access, type StoredAccess } from './access-value';

export interface AccessProps {
  /** The stored provider; undefined for a new one. */
  stored?: StoredAccess;
  access: Access;
  changeAccess: (access: Access) => void;
}

/** An endpoint's key: entered here, or kept by the operator where there are such keys. */
export function KeyFields(props: AccessProps) {
  const ref = refOf(props.access, props.stored);
  return (
    <>
      <KeyReference {...props} />
      {ref === '' && <ApiKeyField {...props} />}
    </>
  );
}

function KeyReference({ stored, access, changeAccess }: AccessProps) {
  const { data } = useQuery(keyRefsQuery);
  const items = data?.items ?? [];
  const before = stored?.api_key_ref ?? null;
  if (items.length === 0 && before === null) return null;
  const choose = (ref: string): void => {
    const { apiKey: _, keyRef: __, ...others } = access;
    changeAccess((ref || null) === before ? others : { ...others, keyRef: ref || null });
  };
  return (
    <ChoiceField
      path="api_key_ref"
      label="Key by reference"
      help="The operator keeps these keys outside of Toolmark. When such a key changes, requests use the new one."
      none="none"
      options={items.map(({ ref, origins }) => [ref, origins ? `${ref}, only for ${origins.join(', ')}` : ref])}
      value={refOf(access, stored)}
      onChoose={choose}
    />
  );
}

const MAX_KEY = 2000;

/**
 * An endpoint's API key. It is sent once, stored encrypted, and never shown again; the browser does not keep it either.
 */
function ApiKeyField({ stored, access, changeAccess }: AccessProps) {
  const { errors, refusal } = useForm();
  const isSet = stored?.api_key_set === true && !stored.api_key_ref;
  const set = (apiKey: string | null | undefined): void => {
    const { apiKey: _, ...others } = access;
    changeAccess(apiKey === undefined ? others : { ...others, apiKey });
  };
  return (
    <>
      <LabelledField
        label="API key"
        help={helpOf(stored, access)}
        faults={errors.filter(({ path }) => path === '/api_key')}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="password"
            autoComplete="off"
            maxLength={MAX_KEY}
            readOnly={refusal !== undefined}
            value={access.apiKey ?? ''}
            placeholder={isSet ? 'Enter another key to replace it' : ''}
            onChange={({ target }) => set(target.value === '' ? undefined : target.value)}
          />
        )}
      </LabelledField>
      {isSet && (
        <label className="check">
          <input
            type="checkbox"
            disabled={refusal !== undefined}
            checked={access.apiKey === null}
            onChange={({ target }) => set(target.checked ? null : undefined)}
          />
          Remove the key
        </label>
      )}
    </>
  );
}

function helpOf(stored: AccessProps['stored'], { apiKey }: Access): string {
  if (!stored) return 'Stored encrypted, never shown again. Optional.';
  if (apiKey === null) return 'Removed when you save.';
  if (!stored.api_key_set || stored.api_key_ref) return 'Not set.';
  const words = keyInWords(stored);
  return words === 'set' ? 'Set.' : `Set, ${words}.`;
}
