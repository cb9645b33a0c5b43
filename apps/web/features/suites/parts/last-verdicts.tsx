import { Link } from '@tanstack/react-router';
import { Note } from '../../../ui/hint';
import type { ListedCase } from '../../cases/api';
import { VerdictMark, type VerdictWord } from '../../results/parts/verdict';
import { countedVerdict } from '../../results/parts/verdict-counts';
import { ModelName } from '../../providers/parts/model-name';
import { providerIn } from '../../providers/parts/model-names';
import css from './last-verdicts.module.css';

type LastRun = NonNullable<ListedCase['last_run']>;
type Models = LastRun['models'];

/** More models than this are counted instead of drawn one by one. */
const DRAWN = 12;

/** How the models of the last run did on a case: a mark for each, or how many of each. */
export function LastVerdicts({ models }: { models: Models }) {
  const byWord = Map.groupBy(models, countedVerdict);
  const words = WORDS.filter((word) => byWord.has(word));
  if (models.length > DRAWN)
    return (
      <span className={css.counts}>
        {words.map((word) => (
          <span key={word} title={word}>
            <VerdictMark word={word} />
            {byWord.get(word)!.length}
            <span className="unseen"> {word}</span>
          </span>
        ))}
      </span>
    );
  return (
    <span
      role="img"
      className={css.marks}
      aria-label={words.map((word) => `${word}: ${byWord.get(word)!.map(nameOf).join(', ')}`).join('; ')}
    >
      {models.map((model) => (
        <span key={model.target} title={`${nameOf(model)}: ${countedVerdict(model)}`}>
          <VerdictMark word={countedVerdict(model)} />
        </span>
      ))}
    </span>
  );
}

const WORDS: readonly VerdictWord[] = ['passed', 'partial', 'failed', 'errored'];
const nameOf = ({ target }: Models[number]): string => target.slice(providerIn(target).length).slice(0, 80);

/** The head of the column: which run it is of, and which mark is which model. */
export const LastRunNote = ({ run: { run_id: runId, models } }: { run: LastRun }) => (
  <Note of="Last run">
    <ul className={css.legend}>
      {WORDS.map((word) => (
        <li key={word}>
          <VerdictMark word={word} /> {LEGEND[word]}
        </li>
      ))}
    </ul>
    {models.length <= DRAWN && (
      <ol className={css.models}>
        {models.map((model) => (
          <li key={model.target}>
            <ModelName target={model.target} />
          </li>
        ))}
      </ol>
    )}
    <Link to="/runs/$runId" params={{ runId }}>
      Open the run
    </Link>
  </Note>
);

const LEGEND: Record<VerdictWord, string> = {
  passed: 'passed',
  partial: 'passed some samples',
  failed: 'failed',
  errored: 'got no answer',
};
