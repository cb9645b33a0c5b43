import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ParamTune } from '#lib/param-tune/contract';
import type { PromptTune } from '#lib/prompt-tune/contract';
import type { TuneOutcome } from '#lib/tuning/contract';
import { Empty } from '../../../ui/empty';
import { Head } from '../../../ui/head';
import { List } from '../../../ui/list';
import { count } from '../../../ui/amounts';
import { Status } from '../../../ui/status';
import type { Column } from '../../../ui/table';
import { Tabs } from '../../../ui/tabs';
import { Time } from '../../../ui/time';
import { UserText, UserLine } from '../../../ui/user-text';
import { promptTunes } from '../../prompt-tunes/api';
import { ModelName } from '../../providers/parts/model-name';
import { paramTunes } from '../api';
import { OutcomeMark } from '../parts/tune-outcome';
import { tunedWords, tuneName } from '../parts/tune-name';
import { combinationsOf } from './tune/arm-list';
import css from './tunes.module.css';

/** Parameter and prompt tunes, newest first. */
export function TunesScreen() {
  const { kind, after } = useSearch({ from: '/signed-in/tunes' });
  const list = { of: 'tunes', after, className: `run-rows ${css.list}`, keyOf: ({ id }: { id: string }) => id };
  return (
    <>
      <Head title="Tunes" actions={<NewTune kind={kind} />} />
      <Tabs label="Kinds of tunes" items={KINDS} />
      {kind === 'prompts' ? (
        <List
          key={kind}
          label="List of prompt tunes"
          query={promptTunes.listQuery(after)}
          columns={PROMPT_TUNE_COLUMNS}
          empty={
            <Empty action={<NewTune kind={kind} />}>
              No prompt tunes yet. A model writes texts, and cases show which help.
            </Empty>
          }
          {...list}
        />
      ) : (
        <List
          label="List of tunes"
          query={paramTunes.listQuery(after)}
          columns={PARAM_TUNE_COLUMNS}
          empty={<Empty action={<NewTune kind={kind} />}>No parameter tunes yet.</Empty>}
          {...list}
        />
      )}
    </>
  );
}

const KINDS = [
  { to: '/tunes', search: {}, label: 'Parameters', bySearch: true },
  { to: '/tunes', search: { kind: 'prompts' }, label: 'Prompts', bySearch: true },
] as const;

const NewTune = ({ kind }: { kind: 'prompts' | undefined }) => (
  <Link to={kind === 'prompts' ? '/tunes/new-prompt' : '/tunes/new'} className="button primary">
    {kind === 'prompts' ? 'Tune prompts' : 'Tune parameters'}
  </Link>
);

interface Finding {
  target?: string;
  outcome: TuneOutcome | null;
  text: string | null;
}

const Finding = ({ target, outcome, text }: Finding) => (
  <>
    <div className={css.foundModel}>
      {target !== undefined && <ModelName target={target} />}
      {outcome !== null && <OutcomeMark outcome={outcome} />}
    </div>
    {text !== null && (
      <div className="small muted">
        <UserText text={text} max={300} />
      </div>
    )}
  </>
);

const SHOWN = 5;

/** The models of a tune, each with its own finding. @param children the finding about all of them */
const Findings = ({ of, children }: { of: readonly (Finding & { target: string })[]; children?: ReactNode }) => (
  <ul className={css.found}>
    {of.slice(0, SHOWN).map((finding) => (
      <li key={finding.target}>
        <Finding {...finding} />
      </li>
    ))}
    {of.length > SHOWN && <li className="muted">and {of.length - SHOWN} more</li>}
    {children && <li>{children}</li>}
  </ul>
);

type ListedTune = Pick<ParamTune, 'name' | 'suite_name' | 'suite_version' | 'status' | 'created_at'> & {
  input: { mode: string };
};

/** The columns of a list of tunes: what both kinds have, around what differs. */
const columnsOf = <Tune extends ListedTune>(
  link: (tune: Tune, name: ReactNode) => ReactNode,
  counted: { name: string; of: (tune: Tune) => number },
  found: (tune: Tune) => ReactNode,
): Column<Tune>[] => [
  {
    name: 'Tune',
    className: 'named',
    cell: (tune) => (
      <>
        {link(tune, <UserLine text={tuneName(tune)} />)}
        {tune.name !== null && (
          <div className="small muted">
            <UserLine text={tunedWords(tune)} />
          </div>
        )}
      </>
    ),
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
  { name: 'Combinations', of: combinationsOf },
  ({ targets }) => <Findings of={targets} />,
);

const PROMPT_TUNE_COLUMNS = columnsOf<PromptTune>(
  ({ id: tuneId }, name) => (
    <Link to="/tunes/prompts/$tuneId" params={{ tuneId }}>
      {name}
    </Link>
  ),
  { name: 'Candidates', of: ({ candidates }) => candidates },
  ({ targets, outcome, text }) => (
    <Findings of={targets.map((target) => ({ target, outcome: null, text: null }))}>
      {(outcome !== null || text !== null) && <Finding {...{ outcome, text }} />}
    </Findings>
  ),
);
