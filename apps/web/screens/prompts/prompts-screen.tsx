import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { PromptVersionHead } from '#lib/contracts/prompt-version';
import type { PromptsSearch } from '../../address/prompts';
import { promptVersionsQuery } from '../../api/prompt-versions';
import { suiteHeadsQuery } from '../../api/suite-heads';
import { Empty } from '../../parts/empty';
import { Failed } from '../../parts/failed';
import { GivenLine } from '../../parts/given';
import { promptName } from '../../parts/prompt-name';
import { PromptSource } from '../../parts/prompt-source';
import { count } from '../../parts/score';
import { Skeleton } from '../../parts/skeleton';
import { Time } from '../../parts/time';
import { PromptFilters } from './prompt-filters';
import './prompts.css';

/** Prompt versions of suites, newest first. */
export function PromptsScreen() {
  const search = useSearch({ from: '/signed-in/prompts' });
  const navigate = useNavigate();
  const { suite, tag, after } = search;
  const versions = useQuery(promptVersionsQuery(search));
  const { items = [], next_cursor: next = null } = versions.data ?? {};
  const narrow = (change: Partial<PromptsSearch>): void =>
    void navigate({ to: '/prompts', search: { ...search, after: undefined, ...change } });
  return (
    <>
      <div className="head">
        <h1>Prompt versions</h1>
        <Ways suite={suite} />
      </div>
      <PromptFilters search={search} narrow={narrow} />
      {versions.isError && <Failed error={versions.error} retry={() => versions.refetch()} />}
      {versions.isPending && <Skeleton rows={8} />}
      {items.length > 0 && <PromptRows versions={items} />}
      {versions.data && items.length === 0 && <NoPrompts suite={suite} isFiltered={Boolean(suite ?? tag ?? after)} />}
      {(after !== undefined || next !== null) && (
        <nav className="actions" aria-label="Pages of prompt versions">
          {after !== undefined && (
            <Link to="/prompts" search={{ ...search, after: undefined }} className="button">
              Newest
            </Link>
          )}
          {next !== null && (
            <Link to="/prompts" search={{ ...search, after: next }} className="button">
              Older
            </Link>
          )}
        </nav>
      )}
    </>
  );
}

const Ways = ({ suite }: { suite: string | undefined }) => (
  <div className="actions">
    <Link to="/prompts/new" search={{ suite }} className="button primary">
      New version
    </Link>
    <Link to="/tunes/new-prompt" search={{ suite }} className="button">
      Tune prompts
    </Link>
  </div>
);

function NoPrompts({ suite, isFiltered }: { suite: string | undefined; isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty
        action={
          <Link to="/prompts" className="button">
            All prompt versions
          </Link>
        }
      >
        No prompt version is like that.
      </Empty>
    );
  return (
    <Empty action={<Ways suite={suite} />}>
      Here will be the prompt versions of the team: texts that runs take in place of those of a suite. Tunes of prompts
      keep the best ones here.
    </Empty>
  );
}

function PromptRows({ versions }: { versions: PromptVersionHead[] }) {
  const suites = useQuery(suiteHeadsQuery);
  const names = new Map(suites.data?.items.map(({ id, name }) => [id, name]));
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="List of prompt versions">
      <table className="prompt-rows">
        <thead>
          <tr>
            <th>Version</th>
            <th>Suite</th>
            <th>Tags</th>
            <th>Source</th>
            <th className="number">Texts</th>
            <th>Made</th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <PromptRow key={version.id} version={version} suiteName={names.get(version.suite_id ?? '')} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PromptRow({ version, suiteName }: { version: PromptVersionHead; suiteName: string | undefined }) {
  const { id, suite_id: suiteId, tags, components_count: texts } = version;
  return (
    <tr>
      <td className="named">
        <Link to="/prompts/$promptId" params={{ promptId: id }}>
          <GivenLine text={promptName({ ...version, tags: [] })} />
        </Link>
      </td>
      <td className="named">
        {suiteId === null ? (
          <span className="muted">deleted</span>
        ) : (
          <Link to="/suites/$suiteId" params={{ suiteId }}>
            <GivenLine text={suiteName ?? suiteId} />
          </Link>
        )}
      </td>
      <td className="named">
        <GivenLine text={tags.join(', ')} />
      </td>
      <td>
        <PromptSource version={version} />
      </td>
      <td className="number">{count(texts)}</td>
      <td>
        <Time at={version.created_at} />
        {version.created_by !== null && (
          <span className="small muted">
            <GivenLine text={`by ${version.created_by}`} max={60} />
          </span>
        )}
      </td>
    </tr>
  );
}
