import { Fragment, useState, type FormEvent, type ReactNode } from 'react';
import type { McpTransport } from '#lib/contracts/mcp';
import { useAction, type Sent } from '../../../api/action';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import type { Edited } from '../../../ui/form/edited';
import { JsonForm, useField } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { submitOnCtrlEnter } from '../../../ui/keys';
import type { McpAddress } from '../api';

interface Props<Answer> {
  /** Whether the suite already has a server. */
  isKnown?: boolean;
  /** The button's label. */
  action: string;
  /** The status while the server is asked, and when it has answered. */
  words: readonly [waiting: string, answered: string];
  ask: (address: McpAddress, options: Sent) => Promise<Answer>;
  /** Shows the answer. @param again asks the server again */
  children: (answer: Answer, address: McpAddress, again: () => void) => ReactNode;
}

/** The address of an MCP server and the headers that it needs, and below what the server answers. */
export function AskServer<Answer>({ isKnown = false, action, words, ask, children }: Props<Answer>) {
  const refusal = useRefusal('editor');
  const [edited, setEdited] = useState(NO_ADDRESS);
  const asking = useAction(ask);
  const address = edited.value as unknown as McpAddress;
  const again = (): void => asking.mutate(address);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    again();
  };
  const change = (next: Edited): void => {
    setEdited(next);
    asking.reset();
  };
  return (
    <>
      <JsonForm edited={edited} change={change} error={null} refusal={undefined}>
        <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
          <Fields of={isKnown ? OF_KNOWN : OF_NEW} />
          <div className="actions">
            <AllowedButton
              type="submit"
              className={asking.data ? '' : 'primary'}
              refusal={refusal}
              disabled={asking.isPending}
            >
              {action}
            </AllowedButton>
            <span role="status">{asking.isPending ? words[0] : asking.data && words[1]}</span>
          </div>
          {asking.isError && <ErrorNotice error={asking.error} retry={again} />}
        </form>
      </JsonForm>
      {asking.data && <Fragment key={asking.submittedAt}>{children(asking.data, address, again)}</Fragment>}
    </>
  );
}

const NO_ADDRESS: Edited = { value: { url: '', transport: 'auto', headers: [] }, unread: {} };
const MAX_HEADERS = 20;

function Headers() {
  const { value, set } = useField('headers');
  const headers = value as McpAddress['headers'];
  const replace = (index: number, part: Partial<McpAddress['headers'][number]>): void =>
    set(headers.with(index, { ...headers[index]!, ...part }));
  return (
    <fieldset className="field">
      <legend className="label">Headers</legend>
      <span className="muted small">Such as a token. Not stored.</span>
      {headers.map((header, index) => (
        <div className="actions" key={index}>
          <input
            aria-label={`Name of header ${index + 1}`}
            placeholder="authorization"
            maxLength={100}
            value={header.name}
            onChange={({ target }) => replace(index, { name: target.value })}
          />
          <input
            aria-label={`Value of header ${index + 1}`}
            type="password"
            autoComplete="off"
            maxLength={8000}
            value={header.value}
            onChange={({ target }) => replace(index, { value: target.value })}
          />
          <button type="button" className="dense" onClick={() => set(headers.toSpliced(index, 1))}>
            Remove header {index + 1}
          </button>
        </div>
      ))}
      {headers.length < MAX_HEADERS && (
        <div>
          <button type="button" className="dense" onClick={() => set([...headers, { name: '', value: '' }])}>
            Add a header
          </button>
        </div>
      )}
    </fieldset>
  );
}

const TRANSPORTS: Record<McpTransport, string> = {
  auto: 'Streamable HTTP, then SSE',
  'streamable-http': 'Streamable HTTP',
  sse: 'SSE',
};

const ADDRESS = { text: 'url', label: 'Server address', type: 'url', maxLength: 2000, whenEmpty: '' } as const;
const OTHERS: FormSchema = [
  { choice: 'transport', label: 'Transport', options: Object.entries(TRANSPORTS) },
  <Headers key="headers" />,
];
const OF_NEW: FormSchema = [
  {
    ...ADDRESS,
    placeholder: 'https://example.com/mcp',
    isRequired: true,
  },
  ...OTHERS,
];
const OF_KNOWN: FormSchema = [
  {
    ...ADDRESS,
    placeholder: 'The server that the tools came from',
  },
  ...OTHERS,
];
