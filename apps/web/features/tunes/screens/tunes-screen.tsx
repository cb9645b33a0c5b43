import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Page } from '#lib/contracts/page';
import type { ParamTune } from '#lib/param-tune/contract';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { promptTunesQuery } from '../../prompt-tunes/api';
import { tunesQuery } from '../api/tunes';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText, UserLine } from '../../../ui/user-text';
import { count } from '../../../ui/score';
import { Skeleton } from '../../../ui/skeleton';
import { Status } from '../../../ui/status';
import { Time } from '../../../ui/time';
import { OutcomeMark } from '../parts/tune-outcome';
import { PageLinks } from '../../../ui/page-links';
import { Table, type Column } from '../../../ui/table';
import './tunes.css';

type Kind = 'prompts' | undefined;

/** Parameter and prompt tunes, newest first. */
export function TunesScreen() {
  const { kind, after } = useSearch({ from: '/signed-in/tunes' });
  return (
    <>
      <div className="head">
        <h1>Tunes</h1>
        <NewTuneLinks />
      </div>
      <nav className="actions" aria-label="Kinds of tunes">
        <KindLink kind={undefined} words="Parameters" />
        <KindLink kind="prompts" words="Prompts" />
      </nav>
      {kind === 'prompts' ? <PromptTunes after={after} /> : <ParamTunes after={after} />}
    </>
  );
}

const NewTuneLinks = () => (
  <div className="actions">
    <Link to="/tunes/new" className="button primary">
      Tune parameters
    </Link>
    <Link to="/tunes/new-prompt" className="button primary">
      Tune prompts
    </Link>
  </div>
);

const KindLink = ({ kind, words }: { kind: Kind; words: string }) => (
  <Link to="/tunes" search={{ kind }} className="button" activeOptions={{ explicitUndefined: true }}>
    {words}
  </Link>
);

function ParamTunes({ after }: { after: string | undefined }) {
  const tunes = useQuery(tunesQuery(after));
  return (
    <TuneList tunes={tunes} kind={undefined} after={after} columns={PARAM_TUNE_COLUMNS}>
      No parameter tunes yet. They search for the settings with which models call tools best.
    </TuneList>
  );
}

function PromptTunes({ after }: { after: string | undefined }) {
  const tunes = useQuery(promptTunesQuery(after));
  return (
    <TuneList tunes={tunes} kind="prompts" after={after} columns={PROMPT_TUNE_COLUMNS}>
      No prompt tunes yet. A model writes texts, and cases show which of them help.
    </TuneList>
  );
}

interface ListProps<Tune> {
  tunes: UseQueryResult<Page<Tune>>;
  kind: Kind;
  after: string | undefined;
  columns: Column<Tune>[];
  /** The text shown if there are none. */
  children: ReactNode;
}

function TuneList<Tune extends { id: string }>({ tunes, kind, after, columns, children }: ListProps<Tune>) {
  const { items = [], next_cursor: next = null } = tunes.data ?? {};
  return (
    <>
      {tunes.isError && <ErrorNotice error={tunes.error} retry={() => tunes.refetch()} />}
      {tunes.isPending && <Skeleton rows={8} />}
      {items.length > 0 && (
        <Table
          label={kind === 'prompts' ? 'List of prompt tunes' : 'List of tunes'}
          className="tune-rows"
          rows={items}
          keyOf={({ id }) => id}
          columns={columns}
        />
      )}
      {tunes.data && items.length === 0 && <Empty action={<NewTuneLinks />}>{children}</Empty>}
      <PageLinks of="tunes" after={after} next={next} />
    </>
  );
}

type ListedTune = Pick<ParamTune, 'suite_name' | 'suite_version' | 'status' | 'created_at'> & {
  input: { mode: string };
};

/** The columns of a list of tunes: what both kinds have, around what differs. */
const columnsOf = <Tune extends ListedTune>(
  link: (tune: Tune, name: ReactNode) => ReactNode,
  counted: { name: string; of: (tune: Tune) => number },
  found: (tune: Tune) => ReactNode,
): Column<Tune>[] => [
  {
    name: 'Suite',
    className: 'named',
    cell: (tune) => link(tune, <UserLine text={`${tune.suite_name}, version ${tune.suite_version}`} />),
  },
  { name: 'Status', cell: ({ status }) => <Status status={status} /> },
  { name: 'Mode', cell: ({ input }) => input.mode },
  { name: counted.name, isNumber: true, cell: (tune) => count(counted.of(tune)) },
  { name: 'Models and results', cell: found },
  { name: 'Submitted', cell: ({ created_at: at }) => <Time at={at} /> },
];

const PARAM_TUNE_COLUMNS = columnsOf<ParamTune>(
  ({ id: tuneId }, name) => (
    <Link to="/tunes/$tuneId" params={{ tuneId }}>
      {name}
    </Link>
  ),
  { name: 'Combinations', of: ({ targets }) => targets.reduce((sum, { arms }) => sum + arms, 0) },
  ({ targets }) => <Found targets={targets} />,
);

const PROMPT_TUNE_COLUMNS = columnsOf<PromptTune>(
  ({ id: tuneId }, name) => (
    <Link to="/tunes/prompts/$tuneId" params={{ tuneId }}>
      {name}
    </Link>
  ),
  { name: 'Candidates', of: ({ candidates }) => candidates },
  (tune) => <PromptTuneFound tune={tune} />,
);

const SHOWN = 5;

function Found({ targets }: { targets: ParamTune['targets'] }) {
  return (
    <ul className="found">
      {targets.slice(0, SHOWN).map(({ target, outcome, text }) => (
        <li key={target}>
          <div className="model">
            <UserLine text={target} />
            {outcome !== null && <OutcomeMark outcome={outcome} />}
          </div>
          {text !== null && (
            <div className="small muted">
              <UserText text={text} max={300} />
            </div>
          )}
        </li>
      ))}
      {targets.length > SHOWN && <li className="muted">and {targets.length - SHOWN} more</li>}
    </ul>
  );
}

const PromptTuneFound = ({ tune: { targets, outcome, text } }: { tune: PromptTune }) => (
  <div className="found">
    {targets.slice(0, SHOWN).map((target) => (
      <UserLine key={target} text={target} />
    ))}
    {targets.length > SHOWN && <span className="muted">and {targets.length - SHOWN} more</span>}
    {outcome !== null && (
      <div>
        <OutcomeMark outcome={outcome} />
      </div>
    )}
    {text !== null && (
      <div className="small muted">
        <UserText text={text} max={300} />
      </div>
    )}
  </div>
);
