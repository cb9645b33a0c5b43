import { useState } from 'react';
import { isObject } from '#lib/contracts/json/json';
import { errorsAt, pointerOf, type Path } from '../../../../ui/form/edited';
import { useField, useForm } from '../../../../ui/form/json-form';
import { JsonEditor } from '../../../../ui/json-editor/json-editor';
import { Faults } from '../../../../ui/form/labelled-field';
import { SpaceRows } from './space-rows';
import { faultOfRows, toRows, toSpace } from './space-value';

/** A search space as rows or as JSON. Both edit the same value. */
export function SpaceEditor({ path, label }: { path: Path; label: string }) {
  const field = useField(path);
  const { errors } = useForm();
  const [isAsked, setAsked] = useState(field.unread !== undefined);
  const pointer = pointerOf(path);
  // Rows cannot show invalid JSON, and an object cannot have two parameters of one name.
  const fault = faultOfRows(field.value);
  const isJson = field.unread !== undefined || (isAsked && fault === undefined);
  const ofSpace = errorsAt(errors, pointer);
  return (
    <>
      <div className="actions" role="group" aria-label={`Show ${label} as`}>
        <button type="button" className="dense" aria-pressed={!isJson} onClick={() => setAsked(false)}>
          Rows
        </button>
        <button
          type="button"
          className="dense"
          aria-pressed={isJson}
          disabled={fault !== undefined}
          title={fault}
          onClick={() => setAsked(true)}
        >
          JSON
        </button>
      </div>
      {isJson ? (
        <JsonEditor
          label={`${label} as JSON`}
          value={field.unread === undefined ? toSpace(field.value) : undefined}
          unread={field.unread}
          errors={ofSpace}
          isReadOnly={field.refusal !== undefined}
          rows={8}
          onValue={(space) => (isObject(space) ? field.set(toRows(space)) : field.setUnread(JSON.stringify(space)))}
          onUnread={field.setUnread}
        />
      ) : (
        <SpaceRows path={path} />
      )}
      <div className="small">
        {fault && <div className="field-error">{fault}</div>}
        <Faults faults={ofSpace.filter((error) => isJson || error.path === '')} />
      </div>
    </>
  );
}
