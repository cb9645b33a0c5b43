import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../../ui/buttons';
import { Folded } from '../../../ui/details';
import { JsonView } from '../../../ui/json-view';
import { providerQuery } from '../../providers/api';
import type { ResultWithExchange } from '../api';
import { curlCommand } from './curl-command';

type Stored = NonNullable<ResultWithExchange['exchange']>;

/** The request and the response. */
export function Exchange({ result }: { result: Pick<ResultWithExchange, 'exchange' | 'target'> }) {
  const { exchange, target } = result;
  if (!exchange) return <p className="muted">No requests or replies are stored for this result.</p>;
  return (
    <Folded title={`Exchange: ${exchange.requests.length} sent, ${exchange.replies.length} received`}>
      {() => <Bodies exchange={exchange} providerKey={target.split('::')[0]!} />}
    </Folded>
  );
}

function Bodies({ exchange, providerKey }: { exchange: Stored; providerKey: string }) {
  const { requests, replies, refused, names } = exchange;
  const { data: provider } = useQuery(providerQuery(providerKey));
  return (
    <>
      {refused !== undefined && <p>{refused} requests were refused.</p>}
      {names && (
        <div>
          <h3>Tool names sent instead</h3>
          <JsonView value={names} />
        </div>
      )}
      {requests.map((body, index) => {
        const command = provider && curlCommand(provider, body);
        return (
          <div key={index}>
            <div className="head">
              <h3>Request {index + 1}</h3>
              {command && <CopyButton text={command.text} label="Copy as curl" done={copied(command.variables)} />}
            </div>
            <JsonView value={body} open={1} />
          </div>
        );
      })}
      {replies.map((body, index) => (
        <div key={index}>
          <h3>Reply {index + 1}</h3>
          <JsonView value={body} open={3} />
        </div>
      ))}
    </>
  );
}

const copied = (variables: readonly string[]): string =>
  variables.length > 0 ? `Copied; set ${variables.join(', ')}` : 'Copied';
