import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '#lib/contracts/team';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { TextField } from '../../../ui/form/fields';
import { Form } from '../../../ui/form/form';
import { MoreButton } from '../../../ui/buttons';
import { Section } from '../../../ui/query-boundary';
import { Secret } from '../../../ui/secret';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { createTeam, teamsQuery, type NewTeam } from '../api';
import { useOperatorRefusal } from '../operator';
import { SettingsPage } from './settings-page';
import css from './settings.module.css';

/** The teams of this installation, which share nothing but the machine. */
export const TeamsScreen = () => (
  <SettingsPage title="Teams">
    <NewTeamForm />
    <Section id="teams" title="Visible teams" rows={3}>
      <Teams />
    </Section>
  </SettingsPage>
);

const MAX_NAME = 100;
const EMPTY = { name: '' };

/** Creates a team. The secret of its first token is shown once. */
function NewTeamForm() {
  const [made, setMade] = useState<NewTeam>();
  return (
    <section aria-labelledby="new-team" className="section">
      <h2 id="new-team">New team</h2>
      {made && (
        <Secret
          key={made.id}
          title={`First owner token of ${made.name}`}
          token={made.token.token}
          done={() => setMade(undefined)}
        />
      )}
      <Form
        initial={EMPTY}
        needs="owner"
        refusal={useOperatorRefusal('create teams')}
        send={createTeam}
        onDone={(team) => {
          setMade(team);
          return queryClient.invalidateQueries({ queryKey: keys.teams });
        }}
        save="Create team"
      >
        <TextField
          path="name"
          label="Name"
          help="Unique across this installation."
          maxLength={MAX_NAME}
          isRequired
          whenEmpty=""
        />
      </Form>
    </section>
  );
}

function Teams() {
  const list = useSuspenseInfiniteQuery(teamsQuery);
  return (
    <>
      <Table
        label="List of teams"
        className={`run-rows ${css.rows}`}
        rows={list.data.pages.flatMap(({ items }) => items)}
        keyOf={({ id }) => id}
        columns={COLUMNS}
      />
      <MoreButton of={list}>More teams</MoreButton>
    </>
  );
}

const COLUMNS: Column<Team>[] = [
  { name: 'Team', isHeading: true, className: 'named', cell: ({ name }) => <UserLine text={name} /> },
  { name: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
];
