import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { signIn } from '../../../api/session';
import { guideAddress } from '../../../ui/guide';
import { ErrorNotice } from '../../../ui/notices';
import { dropOffers } from '../../../ui/undo';
import css from './sign-in.module.css';

/** Takes a token once. Only a cookie is kept, which scripts cannot read. */
export function SignInScreen() {
  const router = useRouter();
  const { back } = useSearch({ from: '/sign-in' });
  const [token, setToken] = useState('');
  const enter = useMutation({
    mutationFn: () => {
      dropOffers();
      return signIn(token.trim());
    },
    onSuccess: () => router.history.replace(back ?? '/'),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    enter.mutate();
  };
  return (
    <main className={css.screen}>
      <title>Sign in · Toolmark</title>
      <div className={css.about}>
        <p className={css.name}>Toolmark</p>
        <p>Find out how well language models call tools: run suites, compare what changed, decide what may ship.</p>
      </div>
      <h1>Sign in to Toolmark</h1>
      {back !== undefined && <p className="muted">You then return to where you were.</p>}
      <form className="fields" onSubmit={submit}>
        <div className="field">
          <label htmlFor="token">Token</label>
          <input
            id="token"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            maxLength={500}
            value={token}
            aria-describedby="token-help"
            onChange={(event) => setToken(event.target.value)}
          />
          <span id="token-help" className="muted small">
            <code>npm start</code> prints an address that signs you in. Otherwise ask an owner of your team.
          </span>
        </div>
        {enter.isError && <ErrorNotice error={enter.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={enter.isPending}>
            Sign in
          </button>
        </div>
      </form>
      <p className="small">
        <a href={guideAddress('README')} target="_blank" rel="noreferrer">
          Guide
        </a>
      </p>
    </main>
  );
}
