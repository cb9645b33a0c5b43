import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { PromptVersionHead } from '#lib/contracts/prompt-version';
import type { PromptsSearch } from '../address';
import { promptVersionsQuery } from '../api';
import { suiteHeadsQuery } from '../../suites/api/suite-heads';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserLine } from '../../../ui/user-text';
import { promptName } from '../parts/prompt-name';
import { PromptSource } from '../parts/prompt-source';
import { count } from '../../../ui/score';
import { Skeleton } from '../../../ui/skeleton';
import { SuiteName } from '../../suites/parts/suite-name';
import { Time } from '../../../ui/time';
import { PageLinks } from '../../../ui/page-links';
import { PromptFilters } from './prompt-filters';
import { Table } from '../../../ui/table';
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
        <NewPromptLinks suite={suite} />
      </div>
      <PromptFilters search={search} narrow={narrow} />
      {versions.isError && <ErrorNotice error={versions.error} retry={() => versions.refetch()} />}
      {versions.isPending && <Skeleton rows={8} />}
      {items.length > 0 && <PromptRows versions={items} />}
      {versions.data && items.length === 0 && <NoPrompts suite={suite} isFiltered={Boolean(suite ?? tag ?? after)} />}
      <PageLinks of="prompt versions" after={after} next={next} />
    </>
  );
}

const NewPromptLinks = ({ suite }: { suite: string | undefined }) => (
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
        No prompt versions match.
      </Empty>
    );
  return (
    <Empty action={<NewPromptLinks suite={suite} />}>
      No prompt versions yet. They hold texts that runs use instead of the suite&apos;s. Prompt tunes save their best
      texts here.
    </Empty>
  );
}

function PromptRows({ versions }: { versions: PromptVersionHead[] }) {
  const suites = useQuery(suiteHeadsQuery);
  const names = new Map(suites.data?.items.map(({ id, name }) => [id, name]));
  return (
    <Table
      label="List of prompt versions"
      className="prompt-rows"
      rows={versions}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Version',
          className: 'named',
          cell: (version) => (
            <Link to="/prompts/$promptId" params={{ promptId: version.id }}>
              <UserLine text={promptName({ ...version, tags: [] })} />
            </Link>
          ),
        },
        {
          name: 'Suite',
          className: 'named',
          cell: ({ suite_id: suiteId }) =>
            suiteId === null ? (
              <SuiteName name={null} />
            ) : (
              <Link to="/suites/$suiteId" params={{ suiteId }}>
                <UserLine text={names.get(suiteId) ?? suiteId} />
              </Link>
            ),
        },
        { name: 'Tags', className: 'named', cell: ({ tags }) => <UserLine text={tags.join(', ')} /> },
        { name: 'Source', cell: (version) => <PromptSource version={version} /> },
        { name: 'Texts', isNumber: true, cell: ({ components_count: texts }) => count(texts) },
        {
          name: 'Created',
          cell: ({ created_at: at, created_by: by }) => (
            <>
              <Time at={at} />
              {by !== null && (
                <span className="small muted">
                  <UserLine text={`by ${by}`} max={60} />
                </span>
              )}
            </>
          ),
        },
      ]}
    />
  );
}
