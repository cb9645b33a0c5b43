import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { cacheHitRate } from '#lib/contracts/token-counts';
import { refreshWork } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton, CopiedId } from '../../../../ui/buttons';
import { FormDialog } from '../../../../ui/form/form-dialog';
import { Fields, type FormSchema } from '../../../../ui/form/schema';
import { count, money, percent } from '../../../../ui/amounts';
import { SettingsList } from '../../../../ui/details';
import { Status } from '../../../../ui/status';
import { duration, Time } from '../../../../ui/time';
import { UserBlock, UserText } from '../../../../ui/user-text';
import { experimentQuery } from '../../../experiments/api';
import { currentCostQuery, labelRun, type Labels } from '../../api';
import { changedSettingsInWords } from '../../parts/changed-settings';
import { RunActions } from './run-actions';

const MAX_SETTINGS = 20;

export function RunHead({ run }: { run: Run }) {
  const [isEditing, setEditing] = useState(false);
  const refusal = useRefusal('editor');
  const settings = changedSettingsInWords(run.config).slice(0, MAX_SETTINGS);
  return (
    <section className="section" aria-label="The run">
      <div className="head">
        <h1>
          <UserText text={run.name ?? run.suite.name} max={200} />
        </h1>
        <RunActions run={run} />
      </div>
      <div className="facts">
        <Status status={run.status} />
        <span>
          Suite{' '}
          <Link to="/runs" search={{ suite: run.suite.id }}>
            <UserText text={run.suite.name} max={200} />
          </Link>
          , version {run.suite.version}
        </span>
        {run.experiment_id !== null && <InExperiment experimentId={run.experiment_id} />}
        <span>
          <Time at={run.created_at} />
          {run.submitted_by !== null && (
            <>
              {' '}
              by <UserText text={run.submitted_by} max={100} />
            </>
          )}
        </span>
        {run.finished_at !== null && (
          <span>took {duration(new Date(run.finished_at).getTime() - new Date(run.created_at).getTime())}</span>
        )}
        <Costs run={run} />
        {run.actual && <CostAtCurrentPrices run={run} billed={run.actual.cost_usd} />}
        <CacheHits run={run} />
        <Shares run={run} />
        <CopiedId id={run.id} what="run" />
        <AllowedButton refusal={refusal} className="dense" onClick={() => setEditing(true)}>
          Name and note
        </AllowedButton>
      </div>
      {run.note !== null && <UserBlock text={run.note} />}
      {settings.length > 0 ? (
        <SettingsList settings={settings} />
      ) : (
        <p className="muted small">All settings are defaults.</p>
      )}
      <Warnings run={run} />
      {isEditing && <LabelsDialog run={run} close={() => setEditing(false)} />}
    </section>
  );
}

const LABELS: FormSchema<Labels> = [
  { text: 'name', label: 'Name', maxLength: 200, autoFocus: true },
  { longText: 'note', label: 'Note', maxLength: 2000, rows: 6 },
];
const trimmed = (text: string | null | undefined): string | null => text?.trim() || null;

function LabelsDialog({ run: { id, name, note }, close }: { run: Run; close: () => void }) {
  return (
    <FormDialog<Partial<Labels>>
      title="Name and note"
      action="Save"
      initial={{ name, note }}
      send={(typed, options) => labelRun(id, { name: trimmed(typed.name), note: trimmed(typed.note) }, options)}
      onDone={() => {
        close();
        return refreshWork(id);
      }}
      close={close}
    >
      <Fields of={LABELS} />
    </FormDialog>
  );
}

/** The experiment of the run, by its name once that is known. */
function InExperiment({ experimentId }: { experimentId: string }) {
  const { data } = useQuery({ ...experimentQuery(experimentId), retry: false });
  return (
    <span>
      Experiment{' '}
      <Link to="/experiments/$experimentId" params={{ experimentId }}>
        <UserText text={data?.name ?? experimentId.slice(-8)} max={200} />
      </Link>
    </span>
  );
}

const known = (usd: number | null): string => (usd === null ? 'unknown (no prices)' : money(usd));

function Costs({ run: { actual, estimate } }: { run: Run }) {
  if (!actual && !estimate) return null;
  return (
    <span>
      {actual ? `cost ${known(actual.cost_usd)}` : 'cost'}
      {estimate && `${actual ? ', ' : ' '}estimated at ${known(estimate.cost_usd)}`}
    </span>
  );
}

/** The cost at today's prices, if it differs. */
function CostAtCurrentPrices({ run, billed }: { run: Run; billed: number | null }) {
  const { data } = useQuery({ ...currentCostQuery(run.id), retry: false });
  const cost = data?.current_cost?.cost_usd ?? null;
  if (cost === null || (billed !== null && Math.abs(cost - billed) <= 0.005 * billed)) return null;
  return <span>{money(cost)} at today&rsquo;s prices</span>;
}

/** The share of input tokens read from the providers' caches. */
function CacheHits({ run: { targets } }: { run: Run }) {
  const total = (of: 'prompt_tokens' | 'cache_read_tokens'): number =>
    targets.reduce((sum, { usage }) => sum + (usage?.[of] ?? 0), 0);
  const rate = cacheHitRate({ prompt_tokens: total('prompt_tokens'), cache_read_tokens: total('cache_read_tokens') });
  return rate ? <span>{percent(rate)} of prompt tokens came from the provider cache</span> : null;
}

/** The shares of stored replies, and of results without a score. */
function Shares({ run: { actual, counts } }: { run: Run }) {
  const requests = actual ? actual.requests + actual.cached : 0;
  return (
    <>
      {actual && actual.cached > 0 && <span>{percent(actual.cached / requests)} from stored replies</span>}
      {counts.errored > 0 && (
        <span className="errored-count">
          {count(counts.errored)} errored ({percent(counts.errored / counts.settled)})
        </span>
      )}
    </>
  );
}

function Warnings({ run: { warnings } }: { run: Run }) {
  if (warnings.length === 0) return null;
  return (
    <details className="notice" open={warnings.length <= 3}>
      <summary>
        {warnings.length === 1 ? '1 deviation' : `${warnings.length} deviations`} from the requested settings
      </summary>
      <ul>
        {warnings.map(({ code, message }) => (
          <li key={code}>
            <UserText text={message ?? code} />
          </li>
        ))}
      </ul>
    </details>
  );
}
