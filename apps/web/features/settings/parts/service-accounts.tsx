import { useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Member } from '#lib/contracts/people';
import { ROLES } from '#lib/contracts/values/team';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { FormDialog } from '../../../ui/form/form-dialog';
import { valueOf } from '../../../ui/form/form-request';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Section } from '../../../ui/query-boundary';
import { createServiceAccount, createToken, type NewToken } from '../access';
import { Members } from './members';
import { MadeToken, NEW_TOKEN, TokenFields, tokenInputOf, type TypedToken } from './new-token';

/** Accounts of pipelines and other programs, which work with tokens alone. */
export function ServiceAccounts() {
  const [account, setAccount] = useState<Member>();
  const [made, setMade] = useState<NewToken>();
  return (
    <>
      <Section id="service-accounts" title="Service accounts" rows={2}>
        <p className="muted">For pipelines and other programs. They work with tokens, and cannot sign in here.</p>
        {made && <MadeToken made={made} done={() => setMade(undefined)} />}
        <Members
          kind="service"
          makeToken={(member) => {
            setMade(undefined);
            setAccount(member);
          }}
        />
      </Section>
      <section aria-labelledby="new-service-account" className="section">
        <h2 id="new-service-account">New service account</h2>
        <Form
          initial={EMPTY}
          needs="owner"
          send={createServiceAccount}
          onDone={refresh}
          save="Create service account"
          saved={() => 'Created. It needs a token.'}
        >
          <Fields of={FIELDS} />
        </Form>
      </section>
      {account && (
        <TokenDialog
          account={account}
          onMade={async (token) => {
            setMade(token);
            setAccount(undefined);
            await refresh();
          }}
          close={() => setAccount(undefined)}
        />
      )}
    </>
  );
}

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.people });

const EMPTY = { name: '', role: 'viewer' };
const MAX_NAME = 100;
const FIELDS: FormSchema<typeof EMPTY> = [
  [
    { text: 'name', label: 'Name', maxLength: MAX_NAME, isRequired: true, whenEmpty: '' },
    { choice: 'role', label: 'Role', options: ROLES.map((role) => [role, role]) },
  ],
];

interface TokenDialogProps {
  account: Member;
  onMade: (token: NewToken) => Promise<void>;
  close: () => void;
}

const TokenDialog = ({ account, onMade, close }: TokenDialogProps) => (
  <FormDialog<JsonObject, NewToken>
    title={`New token of ${account.name}`}
    action="Create token"
    initial={{ ...NEW_TOKEN, role: account.role, user: account.name }}
    needs="owner"
    requestOf={(edited) => {
      const request = valueOf<TypedToken>(edited);
      return 'faults' in request ? request : { body: tokenInputOf(request.body) };
    }}
    send={createToken}
    onDone={onMade}
    close={close}
  >
    <TokenFields isForOthers={false} />
  </FormDialog>
);
