import { Link } from '@tanstack/react-router';
import type { Concern } from '#lib/contracts/home';
import { count } from '../../../ui/amounts';
import { UserLine } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { signedPoints } from '../../runs/parts/against-words';
import css from './home.module.css';

/** A sentence for each thing that needs somebody; one sentence when nothing does. */
export function Concerns({ concerns, asGood, of }: { concerns: readonly Concern[]; asGood: number; of: number }) {
  if (concerns.length === 0) return asGood > 0 && <p className="sentence">{goodWords(asGood, of)}</p>;
  return (
    <ul className={css.concerns} aria-label="What needs somebody">
      {concerns.map((concern, place) => (
        <li key={place} className={concern.kind === 'worse' || concern.result === 'fail' ? css.bad : css.open}>
          <Sentence of={concern} />
        </li>
      ))}
    </ul>
  );
}

/** "9 of 12 suites are as good as what they were compared with.": of the others nothing is said. */
function goodWords(good: number, of: number): string {
  const suites =
    of === 1 ? 'The suite' : good === of ? `All ${count(of)} suites` : `${count(good)} of ${count(of)} suites`;
  return `${suites} ${good === 1 ? 'is as good as what it was' : 'are as good as what they were'} compared with.`;
}

function Sentence({ of: concern }: { of: Concern }) {
  if (concern.kind === 'worse') return <Worse of={concern} />;
  if (concern.kind === 'gate') return <OpenGate of={concern} />;
  if (concern.kind === 'lane') return <LaneStopped of={concern} />;
  return concern.text;
}

function Worse({ of: { suite, since, run, against } }: { of: Concern }) {
  const { verdict, difference, worst } = against!;
  const own = worst?.difference == null ? undefined : signedPoints(worst.difference);
  const all = verdict === 'regressed' && difference !== null ? signedPoints(difference) : undefined;
  const isOfAll = all !== undefined && all !== own;
  return (
    <>
      <SuiteLink of={suite!} /> is worse since{' '}
      <Link to="/runs/$runId" params={{ runId: since!.id }}>
        <UserLine text={since!.name ?? 'its last run'} />
      </Link>{' '}
      ({isOfAll && `${all} points`}
      {own !== undefined && (
        <>
          {isOfAll && '; worst '}
          <ModelName target={worst!.target} /> {own}
          {!isOfAll && ' points'}
        </>
      )}
      ).{' '}
      <Link to="/compare" search={{ runs: [against!.run.id, run!.id] }}>
        See why
      </Link>
    </>
  );
}

const OpenGate = ({ of: { gate, result, run } }: { of: Concern }) => (
  <>
    Gate{' '}
    <Link to="/gates/$gateId" params={{ gateId: gate!.id }}>
      <UserLine text={gate!.name} />
    </Link>
    : {result === 'fail' ? 'failed' : 'too close to call'}
    {run?.name != null && (
      <>
        {' '}
        for <UserLine text={run.name} />
      </>
    )}
    .
  </>
);

const STATES = { paused: 'is paused', down: 'has a provider that is down', blocked: 'waits for its provider' };

const LaneStopped = ({ of: { lane, state, waiting } }: { of: Concern }) => (
  <>
    Lane <Link to="/operate/lanes">{<UserLine text={lane!.name} />}</Link> {STATES[state!]}, {count(waiting)}{' '}
    {waiting === 1 ? 'item waits' : 'items wait'}.
  </>
);

const SuiteLink = ({ of: { id, name } }: { of: { id: string; name: string } }) => (
  <Link to="/suites/$suiteId" params={{ suiteId: id }}>
    <UserLine text={name} />
  </Link>
);
