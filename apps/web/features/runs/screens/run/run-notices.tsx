import { Link } from '@tanstack/react-router';
import { cacheHitRate } from '#lib/contracts/token-counts';
import type { Run } from '#lib/contracts/run';
import { percent } from '../../../../ui/amounts';
import { Hint, Note } from '../../../../ui/hint';
import { UserText } from '../../../../ui/user-text';
import { isAllStored } from '../../parts/run-cost';
import { noticesOf } from './notices';
import css from './run.module.css';

/** What to know of a run, each in a few words that open the rest. */
export function RunNotices({ run }: { run: Run }) {
  return (
    <div className={css.notices}>
      {isAllStored(run) ? <AllStored run={run} /> : <SomeStored run={run} />}
      {noticesOf(run.warnings).map(({ words, warnings }) => (
        <Note key={words} of={words}>
          <ul>
            {warnings.map(({ code, message }) => (
              <li key={code}>
                <UserText text={message ?? code} />
              </li>
            ))}
          </ul>
        </Note>
      ))}
    </div>
  );
}

const AllStored = ({ run }: { run: Run }) => (
  <>
    <span className="status partial">All replies were stored ones: no requests, nothing new</span>
    <Link to="/runs/new" search={{ from: run.id, cache: 'refresh' }} className="button dense">
      Run with new replies
    </Link>
  </>
);

function SomeStored({ run: { actual, targets } }: { run: Run }) {
  const total = (of: 'prompt_tokens' | 'cache_read_tokens'): number =>
    targets.reduce((sum, { usage }) => sum + (usage?.[of] ?? 0), 0);
  const rate = cacheHitRate({ prompt_tokens: total('prompt_tokens'), cache_read_tokens: total('cache_read_tokens') });
  return (
    <>
      {actual !== null && actual.cached > 0 && (
        <Hint term="stored reply">
          {percent(actual.cached / (actual.requests + actual.cached))} from stored replies
        </Hint>
      )}
      {rate ? (
        <Note of={`${percent(rate)} cached by providers`}>Prompt tokens that the provider&rsquo;s cache answered.</Note>
      ) : null}
    </>
  );
}
