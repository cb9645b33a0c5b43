import type { Experiment } from '#lib/contracts/experiment';
import { Chip } from '../../../ui/chip';
import { standingWords } from './standing-words';

/** Where an experiment stands now: "worse since Nightly 8, 3 of the last 5". */
export function StandingChip({ of: { since, refreshing } }: { of: Pick<Experiment, 'since' | 'refreshing'> }) {
  if (refreshing) return <Chip kind="waiting">comparing…</Chip>;
  if (!since) return <span className="muted">nothing compared</span>;
  const [words, kind] = standingWords(since);
  return (
    <Chip kind={kind} title={since.text}>
      {words}
    </Chip>
  );
}
