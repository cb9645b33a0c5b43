import { useRefusal } from '../../../api/session';
import { keys } from '../../../api/keys';
import { Empty } from '../../../ui/empty';
import { Note } from '../../../ui/hint';
import { Section } from '../../../ui/query-boundary';
import { createToken, deleteToken, tokensQuery } from '../access';
import { NewTokenForm } from '../parts/new-token';
import { TokenTable } from '../parts/token-table';
import { SettingsPage } from './settings-page';

/** The tokens of the team: whose they are, what they may do, and when they were last used. */
export function TokensScreen() {
  const refusal = useRefusal('owner');
  return (
    <SettingsPage
      title="Tokens"
      about={
        <Note of="What viewers, editors and owners may do">
          Viewers read. Editors change everything but tokens, people, providers and settings; owners change these, too.
          A token signs in people here, and pipelines and the command line to the API.
        </Note>
      }
    >
      {refusal === undefined ? (
        <>
          <NewTokenForm send={createToken} refreshes={keys.tokens} needs="owner" isForOthers />
          <Section id="tokens" title="Tokens of the team" rows={5}>
            <TokenTable query={tokensQuery} remove={deleteToken} isOwner />
          </Section>
        </>
      ) : (
        <Empty>Only owners see and create the tokens of the team. {refusal}</Empty>
      )}
    </SettingsPage>
  );
}
