import type { ReactNode } from 'react';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Sent } from '../../api/action';
import { queryClient } from '../../api/query-client';
import { Form } from './form';
import { valueOf } from './form-request';

interface Props {
  /** The key of the draft in this tab. */
  name: string;
  /** The stored setting, as the fields edit it. */
  stored: Json;
  /** Sends the whole setting as text. */
  put: (body: string, options: Sent) => Promise<unknown>;
  /** The request body of the edited value. Default: unchanged. */
  bodyOf?: (value: JsonObject) => JsonObject;
  /** The queries to refresh after saving. */
  refreshes: readonly string[];
  /** The button's label. */
  save: string;
  children: ReactNode;
}

/** A team setting, which owners can change. */
export const SettingForm = ({ name, stored, put, bodyOf = (value) => value, refreshes, save, children }: Props) => (
  <Form<string, unknown>
    {...{ name, save, children }}
    initial={stored}
    needs="owner"
    requestOf={(edited) => {
      const request = valueOf<JsonObject>(edited);
      return 'faults' in request ? request : { body: stringifyInSourceOrder(bodyOf(request.body)) };
    }}
    send={put}
    onDone={() => queryClient.invalidateQueries({ queryKey: refreshes })}
    saved={() => 'Saved.'}
    className="fields setting-form"
  />
);
