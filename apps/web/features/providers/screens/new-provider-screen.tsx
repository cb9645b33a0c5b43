import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { ProviderTemplate } from '#lib/contracts/provider';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { createProvider } from '../api';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { useDraft } from '../../../ui/draft';
import { DraftForm } from '../../../ui/form/draft-form';
import type { Edited } from '../../../ui/form/edited';
import '../../operate/screens/operate.css';
import { ApiKeyField } from './api-key-field';
import { ModelsFields } from './models-fields';
import { OperateNav } from '../../operate/screens/operate-nav';
import { LimitsFields, ProviderFields } from './provider-fields';
import { EMPTY_PROVIDER, inputOf, withTemplate, type KeyChange } from './provider-value';
import { TemplateChoice } from './template-choice';

/** A new endpoint. It can be tested once it is saved. */
export function NewProviderScreen() {
  const navigate = useNavigate();
  const empty = useMemo<Edited>(() => ({ value: EMPTY_PROVIDER, unread: {} }), []);
  const draft = useDraft('new provider', empty);
  const [template, setTemplate] = useState<ProviderTemplate>();
  const [key, setKey] = useState<KeyChange>({ to: 'kept' });
  const refusal = useRefusal('owner');
  const create = useAction(createProvider, async (provider) => {
    draft.clear();
    await queryClient.invalidateQueries({ queryKey: keys.providers });
    await queryClient.invalidateQueries({ queryKey: keys.lanes });
    await navigate({ to: '/operate/providers/$providerKey', params: { providerKey: provider.key } });
  });
  const value = draft.value.value as JsonObject;
  const send = (): void => create.mutate(inputOf(value, key.to === 'another' ? key.key : ''));
  const choose = (chosen: ProviderTemplate | undefined): void => {
    setTemplate(chosen);
    if (chosen) draft.change({ ...draft.value, value: withTemplate(value, chosen) });
  };
  return (
    <>
      <div className="head">
        <h1>New provider</h1>
        <Link to="/operate/providers">All providers</Link>
      </div>
      <OperateNav />
      <DraftForm {...{ draft, refusal, send }} saving={create} save="Save the provider">
        <TemplateChoice chosen={template} choose={choose} />
        <ProviderFields isNew />
        <ApiKeyField change={key} onChange={setKey} />
        <fieldset>
          <legend>Limits</legend>
          <LimitsFields at={['limits']} />
        </fieldset>
        <ModelsFields />
      </DraftForm>
    </>
  );
}
