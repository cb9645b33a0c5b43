import { refuseEach, refuseOtherFields, THOUGHT, type Host, type Refusal } from './host.js';

const FIELDS = ['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning_content'];
const extra = (field: string): Refusal => ({ message: `Extra inputs are not permitted, field: '${field}'` });

/** Fireworks. Not verified: that its refusals of message fields are worded like those of request fields. */
export const fireworks: Host = {
  about: 'Fireworks: refuses unknown fields.',
  refuses: refuseEach(['store', 'stream_options', 'verbosity'], extra),
  refusesMessage: refuseOtherFields(FIELDS, (field, index) => extra(`messages[${index}].${field}`)),
  writeRefusal: ({ message }) => ({
    error: { object: 'error', type: 'invalid_request_error', code: 'invalid_request_error', message },
  }),
  sends: () => ({ message: { reasoning_content: THOUGHT }, call: { index: 0 } }),
};
