import { useEffect, useRef } from 'react';
import { CopyButton } from './buttons';
import { UserText } from './user-text';

interface Props {
  /** What the secret belongs to. */
  title: string;
  /** The secret; undefined if the response with it was lost. */
  token: string | undefined;
  done: () => void;
}

/** The secret of a new token. It is shown only once, since it is not stored. */
export function Secret({ title, token, done }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div className="notice" role="group" aria-label={title} tabIndex={-1} ref={box}>
      <p>
        <strong>
          <UserText text={title} max={200} />
        </strong>
      </p>
      {token === undefined ? (
        <p>
          The response with the secret was lost and cannot be shown again. Delete this token and create another one.
        </p>
      ) : (
        <>
          <p>Copy it now: it is shown only once.</p>
          <p>
            <code className="given">{token}</code>
          </p>
        </>
      )}
      <div className="actions">
        {token !== undefined && <CopyButton text={token} label="Copy the token" />}
        <button type="button" className="dense" onClick={done}>
          Done
        </button>
      </div>
    </div>
  );
}
