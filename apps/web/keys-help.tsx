import { useEffect, useRef, useState } from 'react';
import { areKeysOn, switchKeys } from './ui/keys';

const KEYS: [string, string][] = [
  ['Ctrl+K', 'search, or do something'],
  ['g h', 'home'],
  ['g r', 'runs'],
  ['g s', 'suites'],
  ['g t', 'tunes'],
  ['g p', 'prompt versions'],
  ['g e', 'experiments'],
  ['g g', 'gates'],
  ['g j', 'judge reports'],
  ['g o', 'lanes, providers, spending'],
  ['g ,', 'settings'],
  ['/', 'focus the filter'],
  ['j k ↓ ↑', 'next and previous row or case'],
  ['Home End PageUp PageDown', 'scroll through a list'],
  ['Enter', 'open'],
  ['Esc', 'back, keeping the selection'],
  ['n p', 'next and previous failure'],
  ['f', 'failures only'],
  ['c', 'compare with the previous run'],
  ['c a w', 'label the result: correct, acceptable, wrong'],
  ['m', 'note something on the result'],
  ['s', 'make a case of the result'],
  ['e', 'correct the expectation of the result'],
  ['s u', 'while labelling: skip; undo the last label or skip'],
  ['n', 'focus the note while labelling'],
  ['Ctrl+Enter', 'save or run'],
  ['t', 'theme: system, light, dark'],
  ['?', 'this list'],
];

/** All shortcuts, and the switch that turns single letters off. */
export function KeysHelp({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, setOn] = useState(areKeysOn);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl className="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p>
        <label>
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ target }) => {
              switchKeys(target.checked);
              setOn(target.checked);
            }}
          />{' '}
          Single-letter shortcuts
        </label>
      </p>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
