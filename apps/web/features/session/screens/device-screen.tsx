import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { Role } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import { useAction } from '../../../api/action';
import { meQuery } from '../../../api/session';
import { Head } from '../../../ui/head';
import { ErrorNotice } from '../../../ui/notices';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Time } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { decideLogin, waitingLoginQuery, type WaitingLogin } from '../api';
import { Teams } from '../parts/team-dialog';
import css from './device.module.css';

/** Approves a login that somebody started in a terminal, as `toolmark login` does. */
export function DeviceScreen() {
  const { code } = useSearch({ from: '/signed-in/device' });
  return (
    <>
      <Head title="Sign in a command line" />
      {code === undefined ? (
        <EnterCode />
      ) : (
        <QueryBoundary key={code} rows={8}>
          <Login code={code} />
        </QueryBoundary>
      )}
    </>
  );
}

const MAX_CODE = 20;

function EnterCode() {
  const navigate = useNavigate();
  const [code, setCode] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({ to: '/device', search: { code: code.trim().toUpperCase() } });
  };
  return (
    <form className="fields" onSubmit={submit}>
      <div className="field">
        <label htmlFor="code">Code</label>
        <input
          id="code"
          type="text"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          required
          maxLength={MAX_CODE}
          value={code}
          aria-describedby="code-help"
          onChange={({ target }) => setCode(target.value)}
        />
        <span id="code-help" className="muted small">
          The one that your terminal shows after <code>toolmark login</code>.
        </span>
      </div>
      <div className="actions">
        <button type="submit" className="primary">
          Continue
        </button>
      </div>
    </form>
  );
}

function Login({ code }: { code: string }) {
  const { data: login } = useSuspenseQuery(waitingLoginQuery(code));
  const { data: me } = useQuery(meQuery);
  const [role, setRole] = useState<Role>();
  const decide = useAction(decideLogin);
  const own = me?.role ?? 'viewer';
  if (decide.isSuccess)
    return (
      <p role="status">
        {decide.variables.approve
          ? 'Approved. Go back to your terminal: it is signed in within seconds.'
          : 'Refused. The terminal gets no token.'}
      </p>
    );
  return (
    <div className={css.login}>
      <p>A command line asks to sign in. Compare this code with the one in your terminal:</p>
      <p className={css.code}>
        <code>{login.user_code}</code>
      </p>
      <Facts login={login} team={me?.team.name ?? ''} />
      <div className="field">
        <label htmlFor="role">Role of its token</label>
        <select id="role" value={role ?? own} onChange={({ target }) => setRole(target.value as Role)}>
          {ROLES.slice(0, ROLES.indexOf(own) + 1).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </div>
      <p className="notice">
        Approve only what you started yourself. Whoever sent you this link would act as you with the token.
      </p>
      {decide.isError && <ErrorNotice error={decide.error} />}
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={decide.isPending}
          onClick={() => decide.mutate({ code, approve: true, role: role ?? own })}
        >
          Approve
        </button>
        <button
          type="button"
          className="danger"
          disabled={decide.isPending}
          onClick={() => decide.mutate({ code, approve: false })}
        >
          Refuse
        </button>
      </div>
      {me?.session?.provider != null && <OtherTeam />}
    </div>
  );
}

const Facts = ({ login, team }: { login: WaitingLogin; team: string }) => (
  <dl className="settings">
    <div>
      <dt>Host, as it says itself</dt>
      <dd>
        <UserText text={login.name} max={200} />
      </dd>
    </div>
    {login.address !== null && (
      <div>
        <dt>Network address</dt>
        <dd>
          <UserText text={login.address} max={100} />
        </dd>
      </div>
    )}
    <div>
      <dt>Asked</dt>
      <dd>
        <Time at={login.created_at} />
      </dd>
    </div>
    <div>
      <dt>Team</dt>
      <dd>
        <UserText text={team} max={200} />
      </dd>
    </div>
  </dl>
);

function OtherTeam() {
  const { href } = useLocation();
  return (
    <details>
      <summary>For another team</summary>
      <QueryBoundary rows={2}>
        <Teams address={href} />
      </QueryBoundary>
    </details>
  );
}
