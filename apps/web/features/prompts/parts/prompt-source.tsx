import { Link } from '@tanstack/react-router';
import type { PromptVersionHead } from '#lib/contracts/prompt-version';

/** Who wrote the texts of a version; for a tune, a link to it. */
export function PromptSource({ version: { source, origin } }: { version: PromptVersionHead }) {
  if (source === 'prompt_tune' && origin !== null)
    return (
      <Link to="/tunes/prompts/$tuneId" params={{ tuneId: origin.tune_id }}>
        candidate {origin.candidate} of a tune
      </Link>
    );
  return { manual: 'manual', prompt_tune: 'tune', import: 'import' }[source];
}
