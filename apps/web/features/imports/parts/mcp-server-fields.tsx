import { useId } from 'react';
import type { McpTransport } from '#lib/contracts/mcp';
import type { McpAddress } from '../api/mcp';

export const NO_ADDRESS: McpAddress = { url: '', transport: 'auto', headers: [] };

const MAX_HEADERS = 20;
const TRANSPORTS: Record<McpTransport, string> = {
  auto: 'streamable HTTP, else server-sent events',
  'streamable-http': 'streamable HTTP',
  sse: 'server-sent events',
};

interface Fields {
  address: McpAddress;
  onChange: (address: McpAddress) => void;
  /** Whether the suite already has a server. */
  isKnown?: boolean;
}

/** The address of an MCP server, and the headers that it needs. */
export function McpServerFields({ address, onChange, isKnown = false }: Fields) {
  const id = useId();
  const set = (part: Partial<McpAddress>): void => onChange({ ...address, ...part });
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}url`}>Server address</label>
        <input
          id={`${id}url`}
          type="url"
          required={!isKnown}
          maxLength={2000}
          value={address.url}
          placeholder={isKnown ? 'The server the tools came from' : 'https://example.com/mcp'}
          aria-describedby={`${id}url-help`}
          onChange={({ target }) => set({ url: target.value })}
        />
        <span id={`${id}url-help`} className="muted small">
          {isKnown
            ? 'Leave empty to use the server the tools came from.'
            : 'Stored with the suite, so that its tools can be updated later.'}
        </span>
      </div>
      <div className="field">
        <label htmlFor={`${id}transport`}>Transport</label>
        <select
          id={`${id}transport`}
          value={address.transport}
          onChange={({ target }) => set({ transport: target.value as McpTransport })}
        >
          {Object.entries(TRANSPORTS).map(([transport, words]) => (
            <option key={transport} value={transport}>
              {words}
            </option>
          ))}
        </select>
      </div>
      <Headers headers={address.headers} onChange={(headers) => set({ headers })} />
    </>
  );
}

type HeaderList = McpAddress['headers'];

function Headers({ headers, onChange }: { headers: HeaderList; onChange: (headers: HeaderList) => void }) {
  const replace = (index: number, part: Partial<HeaderList[number]>): void =>
    onChange(headers.map((header, place) => (place === index ? { ...header, ...part } : header)));
  return (
    <fieldset className="field">
      <legend className="label">Headers, such as a token</legend>
      <span className="muted small">Sent with each request to the server; not stored.</span>
      {headers.map(({ name, value }, index) => (
        <div className="actions" key={index}>
          <input
            aria-label={`Name of header ${index + 1}`}
            placeholder="authorization"
            maxLength={100}
            value={name}
            onChange={({ target }) => replace(index, { name: target.value })}
          />
          <input
            aria-label={`Value of header ${index + 1}`}
            type="password"
            autoComplete="off"
            maxLength={8000}
            value={value}
            onChange={({ target }) => replace(index, { value: target.value })}
          />
          <button
            type="button"
            className="dense"
            onClick={() => onChange(headers.filter((_header, place) => place !== index))}
          >
            Remove header {index + 1}
          </button>
        </div>
      ))}
      {headers.length < MAX_HEADERS && (
        <div>
          <button type="button" className="dense" onClick={() => onChange([...headers, { name: '', value: '' }])}>
            Add a header
          </button>
        </div>
      )}
    </fieldset>
  );
}
