import { useState } from 'react';
import type { Role } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { Empty } from '../../../ui/empty';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Note } from '../../../ui/hint';
import { Section } from '../../../ui/query-boundary';
import { Secret } from '../../../ui/secret';
import { Time } from '../../../ui/time';
import { invite, type NewInvitation } from '../access';
import { Invitations } from '../parts/invitations';
import { Members } from '../parts/members';
import { ServiceAccounts } from '../parts/service-accounts';
import { SettingsPage } from './settings-page';

/** Who is in the team, who is invited, and the accounts of programs. */
export function PeopleScreen() {
  const refusal = useRefusal('owner');
  return (
    <SettingsPage
      title="People"
      about={
        <Note of="What viewers, editors and owners may do">
          Viewers read. Editors change everything but tokens, people, providers and settings; owners change these, too.
        </Note>
      }
    >
      {refusal === undefined ? (
        <>
          <InviteForm />
          <Section id="members" title="Members" rows={5}>
            <Members kind="person" />
          </Section>
          <Section id="invitations" title="Invitations" rows={2}>
            <Invitations />
          </Section>
          <ServiceAccounts />
        </>
      ) : (
        <Empty>Only owners see and invite the people of the team. {refusal}</Empty>
      )}
    </SettingsPage>
  );
}

const EMPTY: { role: Role; expires_in_days: number; note: string | null } = {
  role: 'viewer',
  expires_in_days: 7,
  note: null,
};

/** Invites somebody with a link, which is shown once. */
function InviteForm() {
  const [made, setMade] = useState<NewInvitation>();
  return (
    <section aria-labelledby="invite" className="section">
      <h2 id="invite">Invite</h2>
      {made && (
        <Secret key={made.id} title="Invitation" token={made.url} what="link" done={() => setMade(undefined)}>
          <p className="small">
            Whoever opens it first joins as {made.role}. It ends <Time at={made.expires_at} />.
          </p>
        </Secret>
      )}
      <Form
        initial={EMPTY}
        needs="owner"
        send={invite}
        onDone={(invitation) => {
          setMade(invitation);
          return queryClient.invalidateQueries({ queryKey: keys.invitations });
        }}
        save="Create invitation"
      >
        <Fields of={FIELDS} />
      </Form>
    </section>
  );
}

const MAX_NOTE = 200;
const FIELDS: FormSchema<typeof EMPTY> = [
  [
    { choice: 'role', label: 'Role', options: ROLES.map((role) => [role, role]) },
    { number: 'expires_in_days', label: 'Valid for days', help: 'From 1 to 30.' },
  ],
  { text: 'note', label: 'Note', help: 'Whom it is for. Only owners see it.', maxLength: MAX_NOTE, whenEmpty: null },
];
