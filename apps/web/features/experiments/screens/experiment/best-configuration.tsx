import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { BestRun, Experiment } from '#lib/contracts/experiment';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { useAction } from '../../../../api/action';
import { refreshWork } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/buttons';
import { ErrorNotice } from '../../../../ui/notices';
import { DeltaFigure } from '../../../../ui/figures/delta';
import { FormDialog } from '../../../../ui/form/form-dialog';
import { Fields, type FormSchema } from '../../../../ui/form/schema';
import { Score } from '../../../../ui/amounts';
import { SettingsList } from '../../../../ui/details';
import { UserText } from '../../../../ui/user-text';
import { ComparisonMark } from '../../../compare/parts/comparison-mark';
import { JobLink } from '../../../jobs/parts/job-link';
import { runQuery } from '../../../runs/api';
import { RunLink } from '../../../runs/parts/run-link';
import { settingInWords, settingName } from '../../../runs/parts/setting-words';
import { scoreOfRun } from '../../../runs/parts/run-score';
import { pinBaseline, refreshExperiments, runBest } from '../../api';
import { bestSettingsText } from './experiment-texts';

/** The best configuration found so far, how certain that is, and the actions on it. */
export function BestConfiguration({ experiment }: { experiment: Experiment }) {
  const { best } = experiment;
  return (
    <section aria-labelledby="best" className="section">
      <h2 id="best">Best configuration</h2>
      {best ? (
        <BestFound experiment={experiment} best={best} />
      ) : (
        <p className="muted">
          None yet. A completed run qualifies if it has the models of the baseline, most of its cases, and few errors.
        </p>
      )}
    </section>
  );
}

function BestFound({ experiment, best }: { experiment: Experiment; best: BestRun }) {
  const [isRunning, setRunning] = useState(false);
  const refusal = useRefusal('editor');
  const isBaseline = best.eval_id === experiment.baseline_eval_id;
  const words = bestSettingsText(best.config);
  return (
    <>
      <p className="sentence">
        <UserText text={best.targets.join(', ')} max={500} />
        {words === null ? (
          ': a recorded run, which cannot be run again.'
        ) : (
          <>: {<UserText text={words} max={500} />}.</>
        )}
      </p>
      <div className="facts">
        <RunLink runId={best.eval_id} />
        <RunScore runId={best.eval_id} />
        {isBaseline && <span>It is the baseline.</span>}
        {best.comparison && <ComparisonMark verdict={best.comparison.verdict} />}
        <TuneLink best={best} />
      </div>
      {best.comparison?.difference != null && (
        <DeltaFigure
          label="The best run minus the baseline"
          difference={best.comparison.difference}
          interval={best.comparison.ci}
        />
      )}
      <TiedRuns runs={best.tied_with} />
      <div className="actions">
        {words !== null && (
          <AllowedButton
            refusal={
              refusal ??
              (experiment.status === 'archived' ? 'The experiment is archived. Reactivate it first.' : undefined)
            }
            className="primary"
            onClick={() => setRunning(true)}
          >
            Run best
          </AllowedButton>
        )}
        {!isBaseline && <PinButton experiment={experiment} runId={best.eval_id} />}
      </div>
      {best.config && (
        <details>
          <summary>All settings</summary>
          <SettingsList settings={settingsOf(best.config)} />
        </details>
      )}
      {isRunning && <RunBestDialog experiment={experiment} close={() => setRunning(false)} />}
    </>
  );
}

/** Without those that say nothing. */
const settingsOf = (config: NonNullable<BestRun['config']>): [string, string][] =>
  Object.entries(config)
    .filter(([, value]) => value != null && !(typeof value === 'object' && Object.keys(value).length === 0))
    .map(([name, value]) => [settingName(name), settingInWords(name, value as Json)]);

/** A score is never shown without its interval, which the run has. */
export function RunScore({ runId }: { runId: string }) {
  const { data } = useQuery({ ...runQuery(runId), retry: false });
  return data ? <Score {...scoreOfRun(data)} /> : null;
}

function TuneLink({ best: { source: type, source_id: id } }: { best: BestRun }) {
  if (type !== 'param_tune' && type !== 'prompt_tune') return null;
  return (
    <JobLink job={{ type, result_ref: id, subject_ref: null }}>
      found by a {type === 'param_tune' ? 'parameter' : 'prompt'} tune
    </JobLink>
  );
}

function TiedRuns({ runs }: { runs: readonly string[] }) {
  if (runs.length === 0) return null;
  return (
    <p>
      Not shown to be worse, so cost or speed can decide: <RunLinks runs={runs} />.
    </p>
  );
}

const MAX_LINKS = 20;

export const RunLinks = ({ runs }: { runs: readonly string[] }) => (
  <>
    {runs.slice(0, MAX_LINKS).map((id, index) => (
      <span key={id}>
        {index > 0 && ', '}
        <RunLink runId={id} />
      </span>
    ))}
    {runs.length > MAX_LINKS && ` and ${runs.length - MAX_LINKS} more`}
  </>
);

/** Makes a run the baseline: all other runs are compared again. */
export function PinButton({ experiment, runId, number }: { experiment: Experiment; runId: string; number?: number }) {
  const refusal = useRefusal('editor');
  const pin = useAction(pinBaseline, refreshExperiments);
  return (
    <>
      <button
        type="button"
        className="dense"
        disabled={refusal !== undefined || pin.isPending}
        title={refusal ?? 'Compares all runs with it again'}
        aria-label={number === undefined ? undefined : `Pin as baseline: number ${number}`}
        onClick={() => pin.mutate({ id: experiment.id, evalId: runId })}
      >
        Pin as baseline
      </button>
      {pin.isError && <ErrorNotice error={pin.error} />}
    </>
  );
}

/** Submits the best settings again, optionally with more samples or another limit. */
function RunBestDialog({ experiment: { id }, close }: { experiment: Experiment; close: () => void }) {
  const navigate = useNavigate();
  return (
    <FormDialog
      title="Run the best configuration again"
      action="Run"
      initial={NO_CHANGES}
      send={(changes: JsonObject, options) => runBest({ id, input: bestInput(changes) }, options)}
      onDone={async ({ eval_id: runId }) => {
        await navigate({ to: '/runs/$runId', params: { runId } });
        await refreshWork();
      }}
      close={close}
    >
      <p>
        Submits its settings as a new run of the experiment. The best of many scores is partly luck; a new run is an
        independent check.
      </p>
      <Fields of={CHANGES} />
    </FormDialog>
  );
}

const NO_CHANGES: JsonObject = {};
const HELP = "Leave empty to keep the run's value.";
const CHANGES: FormSchema = [
  { number: 'samples', label: 'Samples per case', help: HELP },
  { number: 'budget.max_cost_usd', label: 'Maximum cost in US dollars', help: HELP },
];

/** An empty limit keeps that of the run. */
const bestInput = ({ budget, ...changes }: JsonObject): JsonObject =>
  isObject(budget) && Object.keys(budget).length > 0 ? { ...changes, budget } : changes;
