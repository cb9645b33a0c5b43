import type { Provider, ProviderInput } from '#lib/contracts/provider';
import { PROVIDER_KINDS } from '#lib/contracts/values/providers';
import { LabelledField, useForm } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { LIMITS } from './limits';
import type { KeyChange } from './provider-value';

interface Props {
  /** The stored provider; undefined for a new one. */
  stored?: Pick<Provider, 'api_key_set' | 'api_key_last4'>;
  apiKey: KeyChange;
  changeKey: (change: KeyChange) => void;
}

/** A provider's name and address, API key and limits. */
export const ProviderFields = (props: Props) => (
  <>
    {!props.stored && <Fields of={KEY} />}
    <Fields of={NAME_AND_ADDRESS} />
    <ApiKeyField {...props} />
    <Fields of={LIMITS} within="limits" />
  </>
);

const KEY: FormSchema = [
  {
    text: 'key',
    label: 'Key',
    help: 'The prefix of model ids, such as openai. It cannot be changed.',
    maxLength: 63,
    isRequired: true,
    whenEmpty: '',
  },
];
const NAME_AND_ADDRESS: FormSchema<ProviderInput> = [
  { text: 'name', label: 'Name', help: 'Display name. Empty: the key.', maxLength: 200, whenEmpty: '' },
  {
    choice: 'kind',
    label: 'Request format',
    options: Object.entries(PROVIDER_KINDS).map(([kind, { title }]) => [kind, `${kind}: ${title}`]),
  },
  {
    text: 'base_url',
    label: 'Address',
    help: 'Usually up to /v1.',
    maxLength: 2000,
    isRequired: true,
    whenEmpty: '',
  },
];

const MAX_KEY = 2000;

/**
 * An endpoint's API key. It is sent once, stored encrypted, and never shown again; the browser does not keep it either.
 */
function ApiKeyField({ stored, apiKey, changeKey }: Props) {
  const { errors, refusal } = useForm();
  const faults = errors.filter(({ path }) => path === '/api_key');
  return (
    <>
      <LabelledField label="API key" help={helpOf(stored, apiKey)} faults={faults}>
        {(attributes) => (
          <input
            {...attributes}
            type="password"
            autoComplete="off"
            maxLength={MAX_KEY}
            readOnly={refusal !== undefined}
            value={apiKey.to === 'another' ? apiKey.key : ''}
            placeholder={stored?.api_key_set ? 'Enter another key to replace it' : ''}
            onChange={({ target }) =>
              changeKey(target.value === '' ? { to: 'kept' } : { to: 'another', key: target.value })
            }
          />
        )}
      </LabelledField>
      {stored?.api_key_set && (
        <label className="check">
          <input
            type="checkbox"
            disabled={refusal !== undefined}
            checked={apiKey.to === 'removed'}
            onChange={({ target }) => changeKey({ to: target.checked ? 'removed' : 'kept' })}
          />
          Remove the key
        </label>
      )}
    </>
  );
}

function helpOf(stored: Props['stored'], change: KeyChange): string {
  if (!stored) return 'Stored encrypted, never shown again. Optional.';
  if (change.to === 'removed') return 'Removed when you save.';
  if (!stored.api_key_set) return 'Not set.';
  const { api_key_last4: last4 } = stored;
  return `Set${last4 === null ? '' : `, ends in ${last4}`}.`;
}
