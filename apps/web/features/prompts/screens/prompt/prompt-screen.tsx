import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import { statusOf } from '../../../../api/client';
import { promptVersionQuery } from '../../api';
import { useRefusal } from '../../../../api/session';
import { suiteQuery } from '../../../suites/api';
import { AllowedButton } from '../../../../ui/allowed-button';
import { ComponentTexts } from '../../parts/component-texts';
import { CopiedId } from '../../../../ui/copied-id';
import { Empty } from '../../../../ui/empty';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { promptName } from '../../parts/prompt-name';
import { PromptSource } from '../../parts/prompt-source';
import { Skeleton } from '../../../../ui/skeleton';
import { Time } from '../../../../ui/time';
import { DeletePrompt } from './delete-prompt';
import { PromptChanges } from './prompt-changes';
import { PromptNames } from './prompt-names';
import { UsePrompt } from './use-prompt';

const route = getRouteApi('/signed-in/prompts/$promptId');

/** A prompt version: texts that runs can use in place of a suite's, and their changes. */
export function PromptScreen() {
  const { promptId } = route.useParams();
  const { from } = route.useSearch();
  const version = useQuery(promptVersionQuery(promptId));
  if (version.data)
    return (
      <>
        <Head version={version.data} />
        {version.isError && <ErrorNotice error={version.error} retry={version.refetch} />}
        <PromptChanges key={promptId} version={version.data} from={from} />
        <section aria-labelledby="texts" className="section">
          <h2 id="texts">Texts</h2>
          <ComponentTexts texts={version.data.components} />
        </section>
        <PromptNames key={`${promptId} names`} version={version.data} />
      </>
    );
  if (statusOf(version.error) === 404) return <NoPrompt />;
  return (
    <>
      <h1>Prompt version</h1>
      {version.isError ? <ErrorNotice error={version.error} retry={version.refetch} /> : <Skeleton rows={12} />}
    </>
  );
}

const NoPrompt = () => (
  <>
    <h1>Prompt version</h1>
    <Empty
      action={
        <Link to="/prompts" className="button">
          All prompt versions
        </Link>
      }
    >
      There is no such prompt version in your team. It may have been deleted.
    </Empty>
  </>
);

function Head({ version }: { version: PromptVersion }) {
  return (
    <section className="section" aria-label="The prompt version">
      <div className="head">
        <h1>
          <UserText text={promptName({ ...version, tags: [] })} max={200} />
        </h1>
        <Actions version={version} />
      </div>
      <div className="facts">
        <span>
          <OfSuite version={version} />
        </span>
        {version.tags.length > 0 && (
          <span>
            tags <UserText text={version.tags.join(', ')} />
          </span>
        )}
        <span>
          source: <PromptSource version={version} />
        </span>
        <span>
          <Time at={version.created_at} />
          {version.created_by !== null && (
            <>
              {' by '}
              <UserText text={version.created_by} max={60} />
            </>
          )}
        </span>
        {version.parent_id !== null && (
          <Link to="/prompts/$promptId" params={{ promptId: version.parent_id }}>
            parent version
          </Link>
        )}
        <CopiedId id={version.id} what="prompt version" />
      </div>
    </section>
  );
}

function OfSuite({ version: { suite_id: suiteId } }: { version: PromptVersion }) {
  const suite = useQuery({ ...suiteQuery(suiteId ?? ''), enabled: suiteId !== null });
  if (suiteId === null) return 'Its suite was deleted.';
  return (
    <>
      Suite{' '}
      <Link to="/suites/$suiteId" params={{ suiteId }}>
        <UserText text={suite.data?.name ?? suiteId} max={200} />
      </Link>
    </>
  );
}

function Actions({ version }: { version: PromptVersion }) {
  const refusal = useRefusal('editor');
  const [asked, ask] = useState<'use' | 'delete'>();
  const { id, suite_id: suite } = version;
  const noUse = refusal ?? (suite === null ? 'Its suite was deleted.' : undefined);
  return (
    <div className="actions">
      {noUse === undefined && (
        <Link to="/runs/new" search={{ suite: suite!, prompt: id }} className="button primary">
          Run with this version
        </Link>
      )}
      <AllowedButton refusal={noUse} onClick={() => ask('use')}>
        Use in the suite
      </AllowedButton>
      {noUse === undefined && (
        <Link to="/prompts/new" search={{ suite: suite!, from: id }} className="button">
          New version from this
        </Link>
      )}
      <AllowedButton refusal={refusal} onClick={() => ask('delete')}>
        Delete
      </AllowedButton>
      {asked === 'use' && suite !== null && (
        <UsePrompt version={version} suiteId={suite} close={() => ask(undefined)} />
      )}
      {asked === 'delete' && <DeletePrompt version={version} close={() => ask(undefined)} />}
    </div>
  );
}
