import { useState } from 'react';

const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = '\u2421';
/** Characters that a terminal or a browser would obey or hide: control codes, and marks that change text direction. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Shows control characters and invisible marks instead of obeying them. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    if (code === DELETE) return DELETE_PICTURE;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });

/** A text written by a person, a model or a provider, inside a line of ours. */
export function UserText({ text, max = 2000 }: { text: string; max?: number }) {
  return <bdi className="given">{visible(text.length > max ? `${text.slice(0, max)} ...` : text)}</bdi>;
}

/** The same on one line, truncated with an ellipsis. */
export function UserLine({ text, max = 300 }: { text: string; max?: number }) {
  return <bdi className="given-line">{visible(text.slice(0, max).replaceAll(/\s+/g, ' '))}</bdi>;
}

const FIRST_CHARACTERS = 5000;

/** The same with its line breaks. A long text is collapsed behind a button. */
export function UserBlock({ text, code = false }: { text: string; code?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > FIRST_CHARACTERS && !isWhole;
  const shown = visible(isCut ? text.slice(0, FIRST_CHARACTERS) : text);
  return (
    <>
      {code ? <pre className="given-block">{shown}</pre> : <div className="given-block">{shown}</div>}
      {isCut && (
        <button type="button" className="dense" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  );
}
