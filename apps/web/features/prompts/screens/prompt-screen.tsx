import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import { queryClient } from '../../../api/query-client';
import { CopiedId } from '../../../ui/buttons';
import { Chip } from '../../../ui/chip';
import { Form } from '../../../ui/form/form';
import { Fields } from '../../../ui/form/schema';
import { Head } from '../../../ui/head';
import { Section } from '../../../ui/query-boundary';
import { Time } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { suiteQuery } from '../../suites/api';
import { namePromptVersion, promptDiffQuery, promptVersionQuery, refreshPrompts, SUITE_NOW } from '../api';
import { NAME_FIELDS, promptName, PromptSource } from '../parts/prompt-name';
import { PromptResult } from '../parts/prompt-use';
import { ComponentTexts, PromptDiffView } from '../parts/prompt-texts';
import { PromptActions } from './prompt-actions';

/** A prompt version: texts that runs can use in place of a suite's, and their changes. */
export function PromptScreen() {
  const { promptId } = useParams({ from: '/signed-in/prompts/$promptId' });
  const { data: version } = useSuspenseQuery(promptVersionQuery(promptId));
  return (
    <>
      <VersionHead version={version} />
      <PromptResult used={version.used} />
      <Changes version={version} />
      <section aria-labelledby="texts" className="section">
        <h2 id="texts">Texts</h2>
        <ComponentTexts key={promptId} texts={version.components} />
      </section>
      <Names key={`${promptId} names`} version={version} />
    </>
  );
}

const PROMPTS = [{ to: '/prompts', label: 'Prompts' }] as const;

function VersionHead({ version }: { version: PromptVersion }) {
  return (
    <Head
      title={promptName({ ...version, tags: [] })}
      trail={PROMPTS}
      badge={version.tags.map((tag) => (
        <Chip key={tag}>
          <UserText text={tag} />
        </Chip>
      ))}
      status={
        <>
          <OfSuite version={version} />
          <PromptSource version={version} />
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
        </>
      }
      actions={<PromptActions version={version} />}
    />
  );
}

function OfSuite({ version: { suite_id: suiteId } }: { version: PromptVersion }) {
  const suite = useQuery({ ...suiteQuery(suiteId ?? ''), enabled: suiteId !== null });
  if (suiteId === null) return 'Its suite was deleted.';
  return (
    <Link to="/suites/$suiteId" params={{ suiteId }}>
      <UserText text={suite.data?.name ?? '…'} max={200} />
    </Link>
  );
}

/** A version's changes against its parent, or against the current suite. */
function Changes({ version: { id, parent_id: parent, suite_id: suite } }: { version: PromptVersion }) {
  const { from } = useSearch({ from: '/signed-in/prompts/$promptId' });
  const base = from ?? parent ?? SUITE_NOW;
  return (
    <Section
      id="changes"
      title={base === SUITE_NOW ? 'Changes from the current suite' : 'Changes from the parent version'}
      action={
        parent !== null &&
        suite !== null && (
          <Link to="/prompts/$promptId" params={{ promptId: id }} search={from ? {} : { from: 'suite' }}>
            {from ? 'Changes from the parent version' : 'Changes from the current suite'}
          </Link>
        )
      }
      rows={4}
    >
      {base === SUITE_NOW && suite === null ? (
        <p className="muted">Its suite was deleted: there is nothing to compare it with.</p>
      ) : (
        <Diff key={`${id} ${base}`} id={id} base={base} />
      )}
    </Section>
  );
}

const Diff = ({ id, base }: { id: string; base: string }) => (
  <PromptDiffView components={useSuspenseQuery(promptDiffQuery(id, base)).data} />
);

/** The names of a version: its label and tags. */
function Names({ version: { id, label, tags } }: { version: PromptVersion }) {
  return (
    <section aria-labelledby="names" className="section">
      <h2 id="names">Names</h2>
      <Form
        name={`prompt.${id}.names`}
        initial={useMemo(() => ({ label, tags }), [label, tags])}
        send={(typed, options) => namePromptVersion({ id, names: { tags: [], ...(typed as JsonObject) } }, options)}
        onDone={(saved) => {
          queryClient.setQueryData(promptVersionQuery(id).queryKey, saved);
          return refreshPrompts();
        }}
        save="Save names"
        saved={() => 'Saved.'}
      >
        <Fields of={NAME_FIELDS} />
      </Form>
    </section>
  );
}
