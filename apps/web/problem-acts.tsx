import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Facts } from '#lib/contracts/input/problem';
import type { NoteCode } from '#lib/contracts/note-codes';
import type { ProblemCode } from '#lib/contracts/problem-codes';
import { MakeActive } from './features/experiments/parts/make-active';
import { AddSamples } from './features/runs/parts/add-samples';
import { RepeatErrored } from './features/runs/parts/repeat-errored';
import { RescoreRuns } from './features/runs/parts/rescore-runs';
import { queryClient } from './api/query-client';
import { useRefusal } from './api/session';
import type { Coded } from './ui/problem-words';

type Make = (facts: Facts) => ReactNode;

const textOf = (fact: Facts[string] | undefined): string | undefined => (typeof fact === 'string' ? fact : undefined);

const Go = (props: LinkProps & { children: ReactNode }) => <Link {...props} className="button dense" />;

/** A setting that owners change; others read who can. */
function OwnersGo(props: LinkProps & { children: ReactNode }) {
  const refusal = useRefusal('owner');
  return refusal === undefined ? <Go {...props} /> : <span className="muted small">An owner of the team can.</span>;
}

/** What was asked for is done, but what came of it is not answered again. */
const ReadAgain = () => (
  <button type="button" className="dense" onClick={() => void queryClient.invalidateQueries()}>
    Show what is there now
  </button>
);

/** The provider of a model's name, such as `acme` of `acme::small`. */
const providerOf = (names: string | undefined): string | undefined => /^[^:,]+(?=::)/.exec(names ?? '')?.[0];

const provider =
  (words: string, fact: string): Make =>
  (facts) => {
    const named = textOf(facts[fact]);
    const key = fact === 'key' ? named : providerOf(named);
    return key === undefined ? (
      <Go to="/operate/providers">Open the providers</Go>
    ) : (
      <Go to="/operate/providers/$providerKey" params={{ providerKey: key }}>
        {words}
      </Go>
    );
  };

const run =
  (words: string, fact = 'run_id'): Make =>
  (facts) => {
    const runId = textOf(facts[fact]);
    return (
      runId !== undefined && (
        <Go to="/runs/$runId" params={{ runId }}>
          {words}
        </Go>
      )
    );
  };

const suite =
  (words: string): Make =>
  ({ suite_id: id }) => {
    const suiteId = textOf(id);
    return (
      suiteId !== undefined && (
        <Go to="/suites/$suiteId" params={{ suiteId }}>
          {words}
        </Go>
      )
    );
  };

const samples: Make = ({ run_id: id }) => typeof id === 'string' && <AddSamples run={id} />;
const repeat =
  (...names: string[]): Make =>
  (facts) => {
    const runIds = [...new Set(names.map((name) => textOf(facts[name])).filter((id) => id !== undefined))];
    return runIds.length > 0 && <RepeatErrored runIds={runIds} />;
  };

const again: Make = ({ run_id: id }) => {
  const from = textOf(id);
  return (
    from !== undefined && (
      <Go to="/runs/new" search={{ from }}>
        Run the baseline again
      </Go>
    )
  );
};

const ACTS: Partial<Record<ProblemCode | NoteCode, Make>> = {
  wrong_address: ({ url }) =>
    textOf(url)?.startsWith('http') && (
      <a className="button dense" href={textOf(url)}>
        Open Toolmark there
      </a>
    ),
  no_prices: provider('Set prices', 'models'),
  monthly_cap_reached: () => <OwnersGo to="/operate/spending">Raise the cap</OwnersGo>,
  token_cap_reached: () => <OwnersGo to="/settings/tokens">Raise the cap</OwnersGo>,
  budget_spent: run('Open the run'),
  jobs_limit: () => <OwnersGo to="/settings/limits">Raise the limit</OwnersGo>,
  quota_reached: () => <Go to="/settings/limits">See the limits</Go>,
  answer_not_kept: () => <ReadAgain />,
  no_default_judge: () => <OwnersGo to="/settings/judge">Choose a default judge</OwnersGo>,
  no_embedding_model: () => <OwnersGo to="/settings/embedding">Choose an embedding model</OwnersGo>,
  unknown_model: provider('Open the provider', 'model'),
  provider_exists: provider('Open the provider', 'key'),
  provider_without_models: provider('Add a model', 'key'),
  models_not_listed: provider('Add a model', 'key'),
  provider_in_use: () => <Go to="/jobs">See what uses it</Go>,
  suite_empty: suite('Add a case'),
  suite_all_drafts: suite('Review the drafts'),
  prompt_version_limit: () => <Go to="/prompts">Open the prompt versions</Go>,
  experiment_archived: ({ experiment_id: id, name }) =>
    typeof id === 'string' && <MakeActive experimentId={id} name={textOf(name) ?? 'The experiment'} />,
  baseline_unusable: repeat('run_id'),
  run_unfinished: run('Open the run'),
  job_unfinished: () => <Go to="/jobs">See the job</Go>,
  adds_samples: run('Open that run'),
  name_taken: ({ what, id }) =>
    what === 'gate' &&
    typeof id === 'string' && (
      <Go to="/gates/$gateId" params={{ gateId: id }}>
        Open the gate
      </Go>
    ),

  baseline_one_sample: samples,
  samples_differ: samples,
  baseline_errored: repeat('run_id'),
  errors_could_overturn: repeat('a', 'b'),
  scoring_versions: ({ a, b }) =>
    typeof a === 'string' && typeof b === 'string' && <RescoreRuns runIds={[...new Set([a, b])]} />,
  expectations_changed: again,
};

/** What the page offers for a problem or a note. */
export function ProblemAct({ code, params }: Coded) {
  const act = Object.hasOwn(ACTS, code) ? ACTS[code as ProblemCode]!(params) : null;
  return act && <span className="way-out">{act}</span>;
}
