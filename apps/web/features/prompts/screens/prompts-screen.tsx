import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { PromptVersionHead } from '#lib/contracts/prompt-version';
import { Empty } from '../../../ui/empty';
import { Head } from '../../../ui/head';
import { List } from '../../../ui/list';
import { count } from '../../../ui/amounts';
import { MenuLink } from '../../../ui/menu';
import type { Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { TypedFilter } from '../../../ui/filters';
import { useHidden } from '../../../ui/undo';
import { UserLine } from '../../../ui/user-text';
import { suiteQuery } from '../../suites/api';
import { SuiteFilter } from '../../suites/parts/choose-suite';
import { SuiteName } from '../../suites/parts/suite-name';
import { promptVersionsQuery } from '../api';
import { promptName, PromptSource } from '../parts/prompt-name';
import { PromptScore } from '../parts/prompt-use';
import css from '../parts/prompts.module.css';

/** Prompt versions of suites, newest first. */
export function PromptsScreen() {
  const search = useSearch({ from: '/signed-in/prompts' });
  const navigate = useNavigate();
  const hidden = useHidden();
  const { suite, tag, after } = search;
  const narrow = (change: Partial<typeof search>): void =>
    void navigate({ to: '/prompts', search: { ...search, after: undefined, ...change } });
  return (
    <>
      <Head
        title="Prompts"
        actions={
          <Link to="/prompts/new" search={{ suite }} className="button primary">
            New version
          </Link>
        }
        menu={
          <MenuLink to="/tunes/new-prompt" search={{ suite }}>
            Tune prompts
          </MenuLink>
        }
      />
      <div className="actions" role="search" aria-label="Filter prompt versions">
        <SuiteFilter suite={suite} choose={(chosen) => narrow({ suite: chosen })} />
        <TypedFilter label="Tag" value={tag} maxLength={50} choose={(chosen) => narrow({ tag: chosen })} />
      </div>
      <List
        label="List of prompt versions"
        of="prompt versions"
        query={promptVersionsQuery(search)}
        after={after}
        className={css.versions}
        keyOf={({ id }) => id}
        rowProps={({ id }) => ({ hidden: hidden.has(id) })}
        columns={COLUMNS}
        empty={<NoPrompts suite={suite} isFiltered={Boolean(suite ?? tag ?? after)} />}
      />
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
      No prompt versions yet. A version has texts that runs take instead of the suite&apos;s.
    </Empty>
  );
}

function SuiteLink({ suiteId }: { suiteId: string }) {
  const { data: suite } = useQuery({ ...suiteQuery(suiteId), retry: false });
  return (
    <Link to="/suites/$suiteId" params={{ suiteId }}>
      <UserLine text={suite?.name ?? 'Suite'} />
    </Link>
  );
}

const COLUMNS: Column<PromptVersionHead>[] = [
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
    cell: ({ suite_id: suiteId }) => (suiteId === null ? <SuiteName name={null} /> : <SuiteLink suiteId={suiteId} />),
  },
  { name: 'Newest score', cell: ({ used }) => <PromptScore used={used} /> },
  { name: 'Runs', isNumber: true, cell: ({ used }) => used.runs > 0 && count(used.runs) },
  { name: 'Tags', className: 'named', cell: ({ tags }) => <UserLine text={tags.join(', ')} /> },
  { name: 'Source', onPhone: 'hidden', cell: (version) => <PromptSource version={version} /> },
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
];
