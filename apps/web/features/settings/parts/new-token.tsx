import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ROLES } from '#lib/contracts/values/team';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Role } from '#lib/contracts/team';
import type { Sent } from '../../../api/action';
import { queryClient } from '../../../api/query-client';
import { meQuery } from '../../../api/session';
import { valueOf } from '../../../ui/form/form-request';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Secret } from '../../../ui/secret';
import { ChooseSuites } from '../../suites/parts/choose-suites';
import type { NewToken } from '../access';
import { EXPIRIES, expiryInWords, expiryOf, type Expiry } from './token-words';

const EMPTY = {
  name: '',
  role: 'viewer',
  user: '',
  expires_at: 'usual',
  reads_only: false,
  suite_ids: null,
  monthly_cap_usd: null,
} satisfies JsonObject;
export type TypedToken = JsonObject & { user: string; expires_at: Expiry };

interface Props {
  send: (input: Json, options: Sent) => Promise<NewToken>;
  /** The queries to refresh. */
  refreshes: readonly string[];
  needs: Role;
  refusal?: string;
  /** Whether it may be for another user. */
  isForOthers?: boolean;
}

/** Creates a token. Its secret is shown once. */
export function NewTokenForm({ send, refreshes, needs, refusal, isForOthers = false }: Props) {
  const [initial, setInitial] = useState<JsonObject>(EMPTY);
  const [made, setMade] = useState<NewToken>();
  return (
    <section aria-labelledby="new-token" className="section">
      <h2 id="new-token">New token</h2>
      {made && <MadeToken made={made} done={() => setMade(undefined)} />}
      <Form<JsonObject, NewToken>
        initial={initial}
        needs={needs}
        refusal={refusal}
        requestOf={(edited) => {
          const request = valueOf<TypedToken>(edited);
          return 'faults' in request ? request : { body: tokenInputOf(request.body) };
        }}
        send={send}
        onDone={(token, sent) => {
          setMade(token);
          setInitial({ ...EMPTY, role: sent.role ?? EMPTY.role });
          return queryClient.invalidateQueries({ queryKey: refreshes });
        }}
        save="Create token"
      >
        <TokenFields isForOthers={isForOthers} />
      </Form>
    </section>
  );
}

export const MadeToken = ({ made, done }: { made: NewToken; done: () => void }) => (
  <Secret key={made.id} title={`Token ${made.name}`} token={made.token} done={done}>
    <p className="small">{`Expires: ${expiryInWords(made.expires_at)}`}</p>
  </Secret>
);

/** What is sent: a repeated request with the same Idempotency-Key must be the same. */
export function tokenInputOf({ user, expires_at: expiry, ...typed }: TypedToken): JsonObject {
  const ofUser = user.trim();
  const at = expiryOf(expiry, new Date());
  return { ...typed, ...(ofUser !== '' && { user: ofUser }), ...(at !== undefined && { expires_at: at }) };
}

const MAX_NAME = 100;
const MAX_SUITES = 100;
export const NEW_TOKEN: JsonObject = EMPTY;

/** The fields of a token. Nobody gives more than their own role. */
export function TokenFields({ isForOthers, children }: { isForOthers: boolean; children?: ReactNode }) {
  const { data: me } = useQuery(meQuery);
  const roles = ROLES.slice(0, ROLES.indexOf(me?.role ?? 'viewer') + 1);
  const fields: FormSchema = [
    { text: 'name', label: 'Purpose', maxLength: MAX_NAME, isRequired: true, whenEmpty: '' },
    [
      { choice: 'role', label: 'Role', options: roles.map((role) => [role, role]) },
      ...(isForOthers ? [OF_USER] : []),
      {
        choice: 'expires_at',
        label: 'Expires',
        options: Object.entries(EXPIRIES).map(([key, { words }]) => [key, words]),
      },
    ],
    { folded: 'Limits', of: LIMITS },
  ];
  return (
    <>
      <Fields of={fields} />
      {children}
    </>
  );
}

const OF_USER = {
  text: 'user',
  label: 'User',
  help: 'Empty: you. A new name creates a user.',
  maxLength: MAX_NAME,
  whenEmpty: '',
};
const LIMITS: FormSchema = [
  { flag: 'reads_only', label: 'Reads only', help: 'It changes nothing and starts no runs, whatever its role.' },
  <ChooseSuites
    key="suites"
    path="suite_ids"
    label="Suites"
    help="It sees only these suites and their runs."
    max={MAX_SUITES}
  />,
  {
    number: 'monthly_cap_usd',
    label: 'Monthly cap in US dollars',
    help: 'What its runs may cost in a calendar month. Empty: no cap of its own.',
  },
];
