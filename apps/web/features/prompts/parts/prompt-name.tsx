import { Link } from '@tanstack/react-router';
import type { PromptVersionHead, PromptVersionInput } from '#lib/contracts/prompt-version';
import type { FormSchema } from '../../../ui/form/schema';

const SHOWN = 8;

/** Display name of a version: its label and tags, or the end of its id. */
export const promptName = ({ id, label, tags }: Pick<PromptVersionHead, 'id' | 'label' | 'tags'>): string =>
  [label, tags.length > 0 ? `(${tags.join(', ')})` : ''].filter(Boolean).join(' ') || `version ${id.slice(-SHOWN)}`;

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

/** The fields of the names of a version. */
export const NAME_FIELDS: FormSchema<PromptVersionInput> = [
  { text: 'label', label: 'Label', help: 'Display name. Optional.', maxLength: 200, whenEmpty: '' },
  {
    lines: 'tags',
    label: 'Tags',
    help: 'One per line. Each tag marks one version of a suite: adding it here moves it.',
  },
];
