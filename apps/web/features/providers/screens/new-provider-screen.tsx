import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Provider, ProviderTemplate } from '#lib/contracts/provider';
import { ChoiceField } from '../../../ui/form/fields';
import { Form } from '../../../ui/form/form';
import { valueOf } from '../../../ui/form/form-request';
import { useForm } from '../../../ui/form/json-form';
import { Head } from '../../../ui/head';
import { QueryBoundary } from '../../../ui/query-boundary';
import { UserText } from '../../../ui/user-text';
import css from '../../operate/parts/operate.module.css';
import { OPERATE } from '../../operate/parts/operate-nav';
import { createProvider, refreshProviders, templatesQuery } from '../api';
import { ModelsFields } from './models-fields';
import { ProviderFields } from './provider-fields';
import { EMPTY_PROVIDER, inputOf, withTemplate } from './provider-value';
import { useAccess } from './use-access';

const PROVIDERS = [...OPERATE, { to: '/operate/providers', label: 'Providers' }] as const;

/** A new endpoint. It can be tested once it is saved. */
export function NewProviderScreen() {
  const navigate = useNavigate();
  const access = useAccess();
  return (
    <>
      <Head title="New provider" trail={PROVIDERS} />
      <Form<string, Provider>
        name="new provider"
        outside={access}
        initial={EMPTY_PROVIDER}
        needs="owner"
        requestOf={(edited) => {
          const request = valueOf<JsonObject>(edited);
          if ('faults' in request) return request;
          return { body: inputOf(request.body, access.value) };
        }}
        send={createProvider}
        onDone={async ({ key: providerKey }) => {
          await refreshProviders();
          await navigate({ to: '/operate/providers/$providerKey', params: { providerKey } });
        }}
        save="Save the provider"
      >
        <QueryBoundary rows={2}>
          <TemplateChoice />
        </QueryBoundary>
        <ProviderFields access={access.value} changeAccess={access.change} />
        <ModelsFields />
      </Form>
    </>
  );
}

/** Common hosts: their addresses and peculiarities. */
function TemplateChoice() {
  const { edited, change } = useForm();
  const [chosen, setChosen] = useState<ProviderTemplate>();
  const { items } = useSuspenseQuery(templatesQuery).data;
  const choose = (chosenKey: string): void => {
    const template = items.find(({ key }) => key === chosenKey);
    setChosen(template);
    if (template) change({ ...edited, value: withTemplate(edited.value as JsonObject, template) });
  };
  return (
    <>
      <ChoiceField
        path="template"
        label="Host"
        help="Fills in the fields below."
        none="other"
        options={items.map(({ key, name }) => [key, name])}
        value={chosen?.key ?? ''}
        onChoose={choose}
      />
      {chosen && <TemplateNotes template={chosen} />}
    </>
  );
}

function TemplateNotes({ template }: { template: ProviderTemplate }) {
  const { quirks, unverified, unsupported_params: refused, docs, needs_key: needsKey, base_url: url } = template;
  return (
    <div className="notice">
      <ul className={css.quirks}>
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
