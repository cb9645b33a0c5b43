import { Fragment } from 'react';
import type { Provider } from '#lib/contracts/provider';
import { keyInWords } from '#lib/contracts/provider-words';
import { UserText } from '../../../ui/user-text';
import { CertificateText } from './certificate-fields';

/** What each request carries beside its body, as saved. */
export function SentWithRequests({ provider }: { provider: Provider }) {
  const { headers = [], client_certificate: certificate } = provider;
  return (
    <dl className="settings" aria-label="Sent with each request">
      <div>
        <dt>API key</dt>
        <dd>
          <UserText text={keyInWords(provider)} />
        </dd>
      </div>
      {headers.length > 0 && (
        <div>
          <dt>Headers</dt>
          <dd>
            {headers.map(({ name, kind }, index) => (
              <Fragment key={name}>
                {index > 0 && ', '}
                <UserText text={name} />
                {kind === 'routing' && ' (routing)'}
              </Fragment>
            ))}
          </dd>
        </div>
      )}
      {certificate && (
        <div>
          <dt>Client certificate</dt>
          <dd>
            <CertificateText certificate={certificate} />
          </dd>
        </div>
      )}
    </dl>
  );
}
