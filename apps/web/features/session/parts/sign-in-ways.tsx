import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { ErrorNotice } from '../../../ui/notices';
import { visible } from '../../../ui/user-text';
import { waysQuery } from '../ways';
import css from './sign-in-ways.module.css';

interface Props {
  /** Begins to sign in at a provider. */
  begin: (provider: string) => unknown;
  /** Signs in with a token, where one is of use. */
  enter?: (token: string) => Promise<unknown>;
  /** Shown below the providers. */
  children?: ReactNode;
}

/** Buttons for the providers, and a field for a token: alone, or behind a disclosure. */
export function SignInWays({ begin, enter, children }: Props) {
  const { data } = useQuery(waysQuery);
  const leave = useMutation({ mutationFn: async (provider: string) => begin(provider) });
  const providers = data?.providers ?? [];
  const field = enter && <TokenForm enter={enter} autoFocus={providers.length === 0} />;
  if (providers.length === 0) return field;
  return (
    <div className={css.ways}>
      {providers.map(({ id, name }, place) => (
        <button
          key={id}
          type="button"
          className={place === 0 ? 'primary' : undefined}
          disabled={leave.isPending}
          onClick={() => leave.mutate(id)}
        >
          Sign in with {visible(name)}
        </button>
      ))}
      {leave.isError && <ErrorNotice error={leave.error} />}
      {children}
      {field && (
        <details>
          <summary>Sign in with a token</summary>
          {field}
        </details>
      )}
    </div>
  );
}

interface TokenFormProps {
  enter: (token: string) => Promise<unknown>;
  autoFocus: boolean;
}

/** Takes a token once. Only a cookie is kept, which scripts cannot read. */
function TokenForm({ enter, autoFocus }: TokenFormProps) {
  const id = useId();
  const [token, setToken] = useState('');
  const entering = useMutation({ mutationFn: () => enter(token.trim()) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    entering.mutate();
  };
  return (
    <form className="fields" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>Token</label>
        <input
          id={id}
          type="password"
          autoComplete="current-password"
          autoFocus={autoFocus}
          required
          maxLength={500}
          value={token}
          aria-describedby={`${id}-help`}
          onChange={(event) => setToken(event.target.value)}
        />
        <span id={`${id}-help`} className="muted small">
          <code>npm start</code> prints an address that signs you in. Otherwise ask an owner of your team.
        </span>
      </div>
      {entering.isError && <ErrorNotice error={entering.error} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={entering.isPending}>
          Sign in
        </button>
      </div>
    </form>
  );
}
