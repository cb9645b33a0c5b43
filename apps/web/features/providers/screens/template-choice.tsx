import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { ProviderTemplate } from '#lib/contracts/provider';
import { templatesQuery } from '../api';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText } from '../../../ui/user-text';

interface Props {
  chosen: ProviderTemplate | undefined;
  choose: (template: ProviderTemplate | undefined) => void;
}

/** Common hosts: their addresses and peculiarities. */
export function TemplateChoice({ chosen, choose }: Props) {
  const templates = useQuery(templatesQuery);
  const id = useId();
  const items = templates.data?.items ?? [];
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Host</label>
        <select
          id={id}
          value={chosen?.key ?? ''}
          aria-describedby={`${id}-notes`}
          onChange={({ target }) => choose(items.find(({ key }) => key === target.value))}
        >
          <option value="">other</option>
          {items.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
        <div id={`${id}-notes`} className="small muted">
          A host fills in the fields below from its public documentation.
        </div>
      </div>
      {templates.isError && <ErrorNotice error={templates.error} retry={() => templates.refetch()} />}
      {chosen && <TemplateNotes template={chosen} />}
    </>
  );
}

function TemplateNotes({ template }: { template: ProviderTemplate }) {
  const { quirks, unverified, unsupported_params: refused, docs, needs_key: needsKey, base_url: url } = template;
  return (
    <div className="notice">
      <ul className="quirks">
        {url.includes('{') && <li>Replace the parts of the address in braces.</li>}
        {!needsKey && <li>It needs no API key.</li>}
        {refused.length > 0 && <li>Its models do not support {refused.join(', ')}: enter this for each model.</li>}
        {quirks.map((quirk) => (
          <li key={quirk}>
            <UserText text={quirk} />
          </li>
        ))}
        {unverified.length > 0 && <li>Not documented: {unverified.join('; ')}.</li>}
      </ul>
      <a href={docs} target="_blank" rel="noreferrer">
        Documentation
      </a>
    </div>
  );
}
