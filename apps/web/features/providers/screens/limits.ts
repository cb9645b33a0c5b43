import type { ModelInput } from '#lib/contracts/provider';
import type { FormSchema } from '../../../ui/form/schema';

/** The limits of a provider, or of a model. */
export const LIMITS: FormSchema<NonNullable<ModelInput['limits']>> = [
  [
    { number: 'max_concurrency', label: 'Concurrent requests' },
    { number: 'requests_per_minute', label: 'Requests per minute', help: 'Empty: no limit.' },
    { number: 'tokens_per_minute', label: 'Tokens per minute', help: 'Empty: no limit.' },
  ],
];
