import { type ReactNode, useEffect, useRef } from 'react';
import { CopyButton } from './buttons';
import { UserText } from './user-text';

interface Props {
  /** What the secret belongs to. */
  title: string;
  /** The secret; undefined if the response with it was lost. */
  token: string | undefined;
  /** What it is: a token, or the link of an invitation. */
  what?: 'token' | 'link';
  done: () => void;
  /** The label of the button that is pressed when it is copied. */
  action?: string;
  /** What else is good to know about it. */
  children?: ReactNode;
}

const LOST = {
  token: 'The response with the secret was lost and cannot be shown again. Delete this token and create another one.',
  link: 'The response with the link was lost and cannot be shown again. Withdraw this invitation and make another one.',
};

/** The secret of something new. It is shown only once, since it is not stored. */
export function Secret({ title, token, what = 'token', done, action = 'Done', children }: Props) {
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
        <p>{LOST[what]}</p>
      ) : (
        <>
          <p>Copy it now: it is shown only once.</p>
          <p>
            <code className="given">{token}</code>
          </p>
        </>
      )}
      {children}
      <div className="actions">
        {token !== undefined && <CopyButton text={token} label={`Copy the ${what}`} />}
        <button type="button" className="dense" onClick={done}>
          {action}
        </button>
      </div>
    </div>
  );
}
