import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { BestRun, Experiment } from '#lib/contracts/experiment';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { refreshWork } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/buttons';
import { LazyDetails, SettingsList } from '../../../../ui/details';
import { DeltaFigure } from '../../../../ui/figures/delta';
import { FormDialog } from '../../../../ui/form/form-dialog';
import { Fields, type FormSchema } from '../../../../ui/form/schema';
import { Hint } from '../../../../ui/hint';
import { Score } from '../../../../ui/amounts';
import { ComparisonMark } from '../../../compare/parts/comparison-mark';
import { JobLink } from '../../../jobs/parts/job-link';
import { runQuery } from '../../../runs/api';
import { RunLink } from '../../../runs/parts/run-link';
import { scoreOfRun } from '../../../runs/parts/run-score';
import { runBest } from '../../api';
import { usePin } from '../../parts/pin-baseline';
import { bestSettings } from './experiment-texts';

/** The best configuration found so far, how certain that is, and the actions on it. */
export const BestConfiguration = ({ experiment }: { experiment: Experiment }) => (
  <section aria-labelledby="best" className="section">
    <h2 id="best">Best configuration</h2>
    {experiment.best ? (
      <BestFound experiment={experiment} best={experiment.best} />
    ) : (
      <p className="muted">None yet.</p>
    )}
  </section>
);

function BestFound({ experiment, best }: { experiment: Experiment; best: BestRun }) {
  const isBaseline = best.eval_id === experiment.baseline_eval_id;
  const settings = bestSettings(best.config);
  const { comparison } = best;
  return (
    <>
      <div className="facts">
        <RunLink runId={best.eval_id} />
        <RunScore runId={best.eval_id} />
        {isBaseline && <span>the baseline</span>}
        {comparison && <ComparisonMark verdict={comparison.verdict} />}
        <TuneLink best={best} />
        {settings === null && <span className="muted">a recorded run, which cannot be run again</span>}
      </div>
      {comparison?.difference != null && (
        <DeltaFigure
          label="The best run minus the baseline"
          difference={comparison.difference}
          interval={comparison.ci}
        />
      )}
      <TiedRuns runs={best.tied_with} />
      <BestActions experiment={experiment} best={best} />
      {settings && (
        <LazyDetails summary="Settings">
          {() => <SettingsList settings={[['models', best.targets.join('\n')], ...settings]} />}
        </LazyDetails>
      )}
    </>
  );
}

function BestActions({ experiment, best }: { experiment: Experiment; best: BestRun }) {
  const [isRunning, setRunning] = useState(false);
  const refusal = useRefusal('editor');
  const pin = usePin(experiment);
  const archived = experiment.status === 'archived' ? 'The experiment is archived. Reactivate it first.' : undefined;
  return (
    <div className="actions">
      {best.config && (
        <AllowedButton refusal={refusal ?? archived} onClick={() => setRunning(true)}>
          Run best
        </AllowedButton>
      )}
      {best.eval_id !== experiment.baseline_eval_id && (
        <AllowedButton
          refusal={refusal}
          disabled={pin.isPending}
          onClick={() => pin.mutate({ evalId: best.eval_id, name: 'the best run' })}
        >
          Pin as baseline
        </AllowedButton>
      )}
      {isRunning && <RunBestDialog experiment={experiment} close={() => setRunning(false)} />}
    </div>
  );
}

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

const MAX_LINKS = 20;

function TiedRuns({ runs }: { runs: readonly string[] }) {
  if (runs.length === 0) return null;
  return (
    <p>
      <Hint term="too close to call">Not shown to be worse</Hint>:{' '}
      {runs.slice(0, MAX_LINKS).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <RunLink runId={id} />
        </span>
      ))}
      {runs.length > MAX_LINKS && ` and ${runs.length - MAX_LINKS} more`}.
    </p>
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
      <p>The best of many scores is partly luck. A new run checks it.</p>
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
const bestInput = ({ budget, ...changes }: JsonObject): Json =>
  isObject(budget) && Object.keys(budget).length > 0 ? { ...changes, budget } : changes;
