import { useMemo, type ReactNode } from 'react';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { useAction } from '../../api/action';
import { queryClient } from '../../api/query-client';
import { useRefusal } from '../../api/session';
import { useDraft } from '../draft';
import { DraftForm } from './draft-form';
import type { Edited } from './edited';
import './setting-form.css';

interface Props {
  /** The key of the draft in this tab. */
  name: string;
  /** The stored setting, as the fields edit it. */
  stored: Json;
  /** Sends the whole setting as text. */
  put: (body: string, options: { idempotencyKey: string }) => Promise<unknown>;
  /** The request body of the edited value. Default: unchanged. */
  bodyOf?: (value: JsonObject) => JsonObject;
  /** The queries to refresh after saving. */
  refreshes: readonly string[];
  /** The button's label. */
  save: string;
  children: ReactNode;
}

/** A team setting, which owners can change. */
export function SettingForm({ name, stored, put, bodyOf = (value) => value, refreshes, save, children }: Props) {
  const initial = useMemo<Edited>(() => ({ value: stored, unread: {} }), [stored]);
  const draft = useDraft(name, initial);
  const refusal = useRefusal('owner');
  const saving = useAction(put, async () => {
    await queryClient.invalidateQueries({ queryKey: refreshes });
    draft.clear();
  });
  const send = (): void => saving.mutate(stringifyInSourceOrder(bodyOf(draft.value.value as JsonObject)));
  return (
    <DraftForm
      {...{ draft, saving, refusal, send, save }}
      saved={saving.isSuccess ? 'Saved.' : undefined}
      className="fields setting-form"
    >
      {children}
    </DraftForm>
  );
}
