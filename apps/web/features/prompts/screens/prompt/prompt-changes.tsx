import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import { promptDiffQuery, SUITE_NOW } from '../../api';
import { ErrorNotice } from '../../../../ui/error-notice';
import { PromptDiffView } from '../../parts/prompt-diff';
import { Skeleton } from '../../../../ui/skeleton';

/** A version's changes against its parent, or against the current suite. */
export function PromptChanges({ version, from }: { version: PromptVersion; from: 'suite' | undefined }) {
  const { id, parent_id: parent, suite_id: suite } = version;
  const base = from ?? parent ?? SUITE_NOW;
  const isPossible = base !== SUITE_NOW || suite !== null;
  const diff = useQuery({ ...promptDiffQuery(id, base), enabled: isPossible });
  return (
    <section aria-labelledby="changes" className="section">
      <div className="head">
        <h2 id="changes">
          {base === SUITE_NOW ? 'Changes from the current suite' : 'Changes from the parent version'}
        </h2>
        {parent !== null && suite !== null && (
          <Link to="/prompts/$promptId" params={{ promptId: id }} search={from ? {} : { from: 'suite' }}>
            {from ? 'Changes from the parent version' : 'Changes from the current suite'}
          </Link>
        )}
      </div>
      {!isPossible && <p className="muted">Its suite was deleted: there is nothing to compare it with.</p>}
      {isPossible && diff.isPending && <Skeleton rows={4} />}
      {diff.isError && <ErrorNotice error={diff.error} retry={() => diff.refetch()} />}
      {diff.data && <PromptDiffView components={diff.data} />}
    </section>
  );
}
