import { PROVIDER_KINDS } from '#lib/contracts/values/providers';
import { ChoiceField, NumberField, TextField } from '../../../ui/form/fields';
import type { Path } from '../../../ui/form/edited';

const KINDS = Object.entries(PROVIDER_KINDS).map(([kind, { title }]) => [kind, `${kind}: ${title}`] as const);

/** A provider's name and address. */
export function ProviderFields({ isNew }: { isNew: boolean }) {
  return (
    <>
      {isNew && (
        <TextField
          path={['key']}
          label="Key"
          help="Used in addresses and as the prefix of model ids, such as openai. It cannot be changed."
          maxLength={63}
          isRequired
          whenEmpty=""
        />
      )}
      <TextField path={['name']} label="Name" help="Display name. Empty: the key." maxLength={200} whenEmpty="" />
      <ChoiceField path={['kind']} label="Request format" options={KINDS} />
      <TextField
        path={['base_url']}
        label="Address"
        help="Usually up to /v1: paths such as /chat/completions are appended."
        maxLength={2000}
        isRequired
        whenEmpty=""
      />
    </>
  );
}

/** @param at the path of the limits in the form */
export function LimitsFields({ at }: { at: Path }) {
  return (
    <div className="side-by-side">
      <NumberField path={[...at, 'max_concurrency']} label="Concurrent requests" />
      <NumberField path={[...at, 'requests_per_minute']} label="Requests per minute" help="Empty: no limit." />
      <NumberField path={[...at, 'tokens_per_minute']} label="Tokens per minute" help="Empty: no limit." />
    </div>
  );
}
