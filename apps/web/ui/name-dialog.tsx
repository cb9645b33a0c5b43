import { useId, useState } from 'react';
import { FormDialog } from './dialog';

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
  return (
    <FormDialog title={title} action="Save" sending={action} send={() => save(name.trim(), text)} close={close}>
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
    </FormDialog>
  );
}
