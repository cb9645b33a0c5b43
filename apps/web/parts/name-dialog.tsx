import { useId, useState, type FormEvent } from 'react';
import { Dialog } from './dialog';
import { ErrorNotice } from './error-notice';
import { submitOnCtrlEnter } from './submit-keys';

interface Props {
  title: string;
  name: string;
  isNameRequired?: boolean;
  /** The label of the text below the name. */
  textLabel: string;
  text: string;
  maxTextLength: number;
  /** The action that saves. */
  action: { isPending: boolean; error: Error | null };
  save: (name: string, text: string) => void;
  close: () => void;
}

/** Changes the name of something, and a text about it. */
export function NameDialog({ title, isNameRequired, textLabel, maxTextLength, action, save, close, ...stored }: Props) {
  const id = useId();
  const [name, setName] = useState(stored.name);
  const [text, setText] = useState(stored.text);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save(name.trim(), text);
  };
  return (
    <Dialog title={title} close={close}>
      <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <div className="field">
          <label htmlFor={`${id}name`}>Name</label>
          <input
            id={`${id}name`}
            value={name}
            maxLength={200}
            required={isNameRequired}
            dir="auto"
            autoFocus
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}text`}>{textLabel}</label>
          <textarea
            id={`${id}text`}
            rows={6}
            value={text}
            maxLength={maxTextLength}
            dir="auto"
            onChange={({ target }) => setText(target.value)}
          />
        </div>
        {action.error && <ErrorNotice error={action.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={action.isPending}>
            Save
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
