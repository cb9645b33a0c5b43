import type { ListedCase } from '../../cases/api';
import { VerdictMark, type VerdictWord } from '../../results/parts/verdict';
import { countedVerdict } from '../../results/parts/verdict-counts';
import { providerIn } from '../../providers/parts/model-names';
import css from './last-verdicts.module.css';

type Models = NonNullable<ListedCase['last_run']>['models'];

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
