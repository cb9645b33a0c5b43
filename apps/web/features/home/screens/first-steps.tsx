import { linkOptions, Link, useNavigate, type LinkProps } from '@tanstack/react-router';
import type { Home } from '#lib/contracts/home';
import type { FirstStepId } from '#lib/contracts/values/home';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { guideAddress } from '../../../ui/guide';
import { ErrorNotice } from '../../../ui/notices';
import { Section } from '../../../ui/query-boundary';
import { undo } from '../../../ui/undo';
import { importExample, showFirstSteps } from '../api';
import css from './home.module.css';

interface Step {
  name: string;
  action: string;
  to: Pick<LinkProps, 'to' | 'search'>;
  guide: string;
}

const STEPS: Record<FirstStepId, Step> = {
  provider: {
    name: 'Connect a provider',
    action: 'Connect',
    to: linkOptions({ to: '/operate/providers/new' }),
    guide: 'quick-start',
  },
  suite: { name: 'Import a suite', action: 'Import', to: linkOptions({ to: '/import' }), guide: 'imports' },
  run: { name: 'Run it', action: 'New run', to: linkOptions({ to: '/runs/new' }), guide: 'quick-start' },
  baseline: {
    name: 'Pin a baseline',
    action: 'New experiment',
    to: linkOptions({ to: '/experiments/new' }),
    guide: 'compare',
  },
  colleague: {
    name: 'Invite a colleague',
    action: 'Invite',
    to: linkOptions({ to: '/settings/people' }),
    guide: 'sign-in#invitations',
  },
};

/** What a new team does first, each with one action. */
export function FirstSteps({ steps, isNew }: { steps: Home['first_steps']; isNew: boolean }) {
  const hide = useAction(() => showFirstSteps(false), onHidden);
  const done = steps.items.filter((step) => step.done).length;
  const next = steps.items.find((step) => !step.done)?.id;
  return (
    <Section
      id="first-steps"
      title={`First steps: ${done} of ${steps.items.length}`}
      action={
        !isNew && (
          <button type="button" className="plain" disabled={hide.isPending} onClick={() => hide.mutate(undefined)}>
            Hide
          </button>
        )
      }
    >
      {hide.isError && <ErrorNotice error={hide.error} />}
      <ol className={css.steps}>
        {steps.items.map(({ id, done: isDone }) => (
          <li key={id} className={isDone ? css.done : undefined}>
            <StepLine of={STEPS[id]} isDone={isDone} isNext={id === next} />
            {id === 'suite' && !isDone && <Example />}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function onHidden(): Promise<void> {
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.home });
  undo.offer({ text: 'First steps hidden.', undo: () => showFirstSteps(true).then(refresh) });
  return refresh();
}

const StepLine = ({ of, isDone, isNext }: { of: Step; isDone: boolean; isNext: boolean }) => (
  <>
    <span className={css.step}>
      <span aria-hidden="true">{isDone ? '●' : '○'}</span> {of.name}
      {isDone && <span className="unseen"> (done)</span>}
    </span>
    {!isDone && (
      <>
        <Link {...of.to} className={isNext ? 'button dense primary' : 'button dense'}>
          {of.action}
        </Link>
        <a href={guideAddress(of.guide)} target="_blank" rel="noreferrer" aria-label={`Guide: ${of.name}`}>
          Guide
        </a>
      </>
    )}
  </>
);

/** A suite of one tool and three cases. Its form says what is missing. */
function Example() {
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  const example = useAction(importExample, async ({ suite_id: suite }) => {
    await queryClient.invalidateQueries({ queryKey: keys.suites });
    await navigate({ to: '/runs/new', search: { suite: suite ?? undefined } });
  });
  return (
    <>
      <AllowedButton
        className="dense"
        refusal={refusal}
        disabled={example.isPending}
        onClick={() => example.mutate('example')}
      >
        Use the example suite
      </AllowedButton>
      {example.isError && <ErrorNotice error={example.error} />}
    </>
  );
}
