import { useRefusal } from '../../../api/session';
import { Empty } from '../../../ui/empty';
import { Section } from '../../../ui/query-boundary';
import { endSession, sessionsQuery } from '../access';
import { SessionTable } from '../parts/session-table';
import { SettingsPage } from './settings-page';

/** The browsers that are signed in to the team. */
export function SessionsScreen() {
  const refusal = useRefusal('owner');
  return (
    <SettingsPage title="Sessions" about="Browsers that are signed in. Pipelines and the command line use tokens.">
      {refusal === undefined ? (
        <Section id="sessions" title="Sessions of the team" rows={5}>
          <SessionTable query={sessionsQuery} end={endSession} ofTeam />
        </Section>
      ) : (
        <Empty>Only owners see the sessions of the team. {refusal}</Empty>
      )}
    </SettingsPage>
  );
}
