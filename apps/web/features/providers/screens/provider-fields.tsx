import { toText } from '#lib/contracts/json/json';
import type { ProviderInput } from '#lib/contracts/provider';
import { PROVIDER_KINDS } from '#lib/contracts/values/providers';
import { useField } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { UserText } from '../../../ui/user-text';
import { neededAgain, type StoredAccess } from './access-value';
import { CertificateFields } from './certificate-fields';
import { HeaderFields } from './header-fields';
import { KeyFields, type AccessProps } from './key-fields';
import { LIMITS } from './limits';

/** A provider's name and address, how it is asked, and its limits. */
export const ProviderFields = (props: AccessProps) => (
  <>
    {!props.stored && <Fields of={KEY} />}
    <Fields of={NAME_AND_FORMAT} />
    <div className="field">
      <Fields of={ADDRESS} />
      {props.stored && <NeededAgain {...props} stored={props.stored} />}
    </div>
    <KeyFields {...props} />
    <HeaderFields {...props} />
    <CertificateFields {...props} />
    <Fields of={LIMITS} within="limits" />
  </>
);

/** What another address asks for. */
function NeededAgain({ stored, access }: AccessProps & { stored: StoredAccess }) {
  const url = toText(useField('base_url').value ?? '');
  const needed = neededAgain(url, access, stored);
  return (
    <div role="status">
      {needed.length > 0 && (
        <p className="notice">
          This is another host. Enter again, or remove: <UserText text={needed.join(', ')} />.
        </p>
      )}
    </div>
  );
}

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
const NAME_AND_FORMAT: FormSchema<ProviderInput> = [
  { text: 'name', label: 'Name', help: 'Display name. Empty: the key.', maxLength: 200, whenEmpty: '' },
  {
    choice: 'kind',
    label: 'Request format',
    options: Object.entries(PROVIDER_KINDS).map(([kind, { title }]) => [kind, `${kind}: ${title}`]),
  },
];
const ADDRESS: FormSchema<ProviderInput> = [
  {
    text: 'base_url',
    label: 'Address',
    help: 'Usually up to /v1.',
    maxLength: 2000,
    isRequired: true,
    whenEmpty: '',
  },
];
