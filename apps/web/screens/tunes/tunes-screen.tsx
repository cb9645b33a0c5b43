import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Page } from '#lib/contracts/page';
import type { ParamTune } from '#lib/param-tune/contract';
import { promptTunesQuery } from '../../api/prompt-tunes';
import { tunesQuery } from '../../api/tunes';
import { Empty } from '../../parts/empty';
import { Failed } from '../../parts/failed';
import { Given, GivenLine } from '../../parts/given';
import { count } from '../../parts/score';
import { Skeleton } from '../../parts/skeleton';
import { Status } from '../../parts/status';
import { Time } from '../../parts/time';
import { Outcome } from '../../parts/tune-outcome';
import { PromptTuneRows } from './prompt-tune-rows';
import './tunes.css';

type Kind = 'prompts' | undefined;

/** Parameter and prompt tunes, newest first. */
export function TunesScreen() {
  const { kind, after } = useSearch({ from: '/signed-in/tunes' });
  return (
    <>
      <div className="head">
        <h1>Tunes</h1>
        <Ways />
      </div>
      <nav className="actions" aria-label="Kinds of tunes">
        <KindLink kind={undefined} words="Parameters" />
        <KindLink kind="prompts" words="Prompts" />
      </nav>
      {kind === 'prompts' ? <PromptTunes after={after} /> : <ParamTunes after={after} />}
    </>
  );
}

const Ways = () => (
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
    <TuneList tunes={tunes} kind={undefined} after={after} rows={(items) => <TuneRows tunes={items} />}>
      Here will be the tunes of the team: searches for the settings with which models call tools best.
    </TuneList>
  );
}

function PromptTunes({ after }: { after: string | undefined }) {
  const tunes = useQuery(promptTunesQuery(after));
  return (
    <TuneList tunes={tunes} kind="prompts" after={after} rows={(items) => <PromptTuneRows tunes={items} />}>
      Here will be the tunes of prompts: a model writes texts, and cases show which of them help.
    </TuneList>
  );
}

interface ListProps<Tune> {
  tunes: UseQueryResult<Page<Tune>>;
  kind: Kind;
  after: string | undefined;
  rows: (items: Tune[]) => ReactNode;
  /** The text shown if there are none. */
  children: ReactNode;
}

function TuneList<Tune>({ tunes, kind, after, rows, children }: ListProps<Tune>) {
  const { items = [], next_cursor: next = null } = tunes.data ?? {};
  return (
    <>
      {tunes.isError && <Failed error={tunes.error} retry={() => tunes.refetch()} />}
      {tunes.isPending && <Skeleton rows={8} />}
      {items.length > 0 && rows(items)}
      {tunes.data && items.length === 0 && <Empty action={<Ways />}>{children}</Empty>}
      {(after !== undefined || next !== null) && (
        <nav className="actions" aria-label="Pages of tunes">
          {after !== undefined && (
            <Link to="/tunes" search={{ kind }} className="button">
              Newest
            </Link>
          )}
          {next !== null && (
            <Link to="/tunes" search={{ kind, after: next }} className="button">
              Older
            </Link>
          )}
        </nav>
      )}
    </>
  );
}

function TuneRows({ tunes }: { tunes: ParamTune[] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="List of tunes">
      <table className="tune-rows">
        <thead>
          <tr>
            <th>Suite</th>
            <th>Status</th>
            <th>Mode</th>
            <th className="number">Combinations</th>
            <th>Models, and what was found</th>
            <th>Submitted</th>
          </tr>
        </thead>
        <tbody>
          {tunes.map((tune) => (
            <TuneRow key={tune.id} tune={tune} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TuneRow({ tune }: { tune: ParamTune }) {
  return (
    <tr>
      <td className="named">
        <Link to="/tunes/$tuneId" params={{ tuneId: tune.id }}>
          <GivenLine text={`${tune.suite_name}, version ${tune.suite_version}`} />
        </Link>
      </td>
      <td>
        <Status status={tune.status} />
      </td>
      <td>{tune.input.mode}</td>
      <td className="number">{count(tune.targets.reduce((sum, { arms }) => sum + arms, 0))}</td>
      <td>
        <Found targets={tune.targets} />
      </td>
      <td>
        <Time at={tune.created_at} />
      </td>
    </tr>
  );
}

const SHOWN = 5;

function Found({ targets }: { targets: ParamTune['targets'] }) {
  return (
    <ul className="found">
      {targets.slice(0, SHOWN).map(({ target, outcome, text }) => (
        <li key={target}>
          <div className="model">
            <GivenLine text={target} />
            {outcome !== null && <Outcome outcome={outcome} />}
          </div>
          {text !== null && (
            <div className="small muted">
              <Given text={text} max={300} />
            </div>
          )}
        </li>
      ))}
      {targets.length > SHOWN && <li className="muted">and {targets.length - SHOWN} more</li>}
    </ul>
  );
}
