import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { ApiError } from '#lib/client/api-client';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { meQuery, useRefusal } from '../../../api/session';
import { createTeam, teamsQuery, type NewTeam } from '../api';
import { AllowedButton } from '../../../ui/allowed-button';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserLine } from '../../../ui/user-text';
import { Secret } from '../../../ui/secret';
import { LabelledField } from '../../../ui/form/labelled-field';
import { Skeleton } from '../../../ui/skeleton';
import { submitOnCtrlEnter } from '../../../ui/submit-keys';
import { Time } from '../../../ui/time';
import './settings.css';
import { SettingsNav } from './settings-nav';
import { Table } from '../../../ui/table';
import { MoreButton } from '../../../ui/more-button';

const MAX_NAME = 100;
/** The team whose owners operate the installation. */
const OPERATORS = 'default';

/** The teams of this installation, which share nothing but the machine. */
export function TeamsScreen() {
  const { data: me } = useQuery(meQuery);
  const ofRole = useRefusal('owner');
  const refusal =
    ofRole ?? (me?.team.name === OPERATORS ? undefined : `Only owners of the team “${OPERATORS}” create teams.`);
  return (
    <>
      <h1>Teams</h1>
      <SettingsNav />
      <p>Suites, providers, runs and tokens are visible only within their team.</p>
      <NewTeamForm refusal={refusal} />
      <Teams />
    </>
  );
}

function NewTeamForm({ refusal }: { refusal: string | undefined }) {
  const titleId = useId();
  const [name, setName] = useState('');
  const [made, setMade] = useState<NewTeam>();
  const make = useAction(createTeam, async (team) => {
    setMade(team);
    setName('');
    make.reset();
    await queryClient.invalidateQueries({ queryKey: keys.teams });
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (refusal === undefined && !make.isPending) make.mutate(name);
  };
  const errors = make.error instanceof ApiError ? (make.error.problem.errors ?? []) : [];
  return (
    <section aria-labelledby={titleId} className="section">
      <h2 id={titleId}>New team</h2>
      {made && (
        <Secret
          key={made.id}
          title={`First owner token of ${made.name}`}
          token={made.token.token}
          done={() => setMade(undefined)}
        />
      )}
      <form className="fields" onSubmit={send} onKeyDown={submitOnCtrlEnter}>
        <LabelledField
          label="Name"
          help="Unique across this installation."
          faults={errors.filter(({ path }) => path === '/name')}
        >
          {(attributes) => (
            <input
              {...attributes}
              required
              maxLength={MAX_NAME}
              autoComplete="off"
              readOnly={refusal !== undefined}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </LabelledField>
        {make.isError && <ErrorNotice error={make.error} />}
        <div className="actions">
          <AllowedButton type="submit" className="primary" refusal={refusal} disabled={make.isPending}>
            Create team
          </AllowedButton>
        </div>
      </form>
    </section>
  );
}

function Teams() {
  const list = useInfiniteQuery(teamsQuery);
  const { data, error, isPending, refetch } = list;
  const teams = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-labelledby="teams" className="section">
      <h2 id="teams">Visible teams</h2>
      {isPending && <Skeleton rows={3} />}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {teams.length > 0 && (
        <Table
          label="List of teams"
          className="setting-rows"
          rows={teams}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Team', isHeading: true, className: 'named', cell: ({ name }) => <UserLine text={name} /> },
            { name: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
          ]}
        />
      )}
      <MoreButton of={list}>More teams</MoreButton>
    </section>
  );
}
