import { useNavigate } from '@tanstack/react-router';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { deletePromptVersion } from '../../api';
import { queryClient } from '../../../../api/query-client';
import { DeleteDialog } from '../../../../ui/dialog';
import { UserText } from '../../../../ui/user-text';
import { promptName } from '../../parts/prompt-name';

export function DeletePrompt({ version, close }: { version: PromptVersion; close: () => void }) {
  const navigate = useNavigate();
  const remove = useAction(deletePromptVersion, async () => {
    close();
    void navigate({ to: '/prompts' });
    queryClient.removeQueries({ queryKey: keys.prompt(version.id) });
    await queryClient.invalidateQueries({ queryKey: keys.promptLists });
  });
  return (
    <DeleteDialog
      title="Delete this prompt version?"
      action="Delete the version"
      isPending={remove.isPending}
      error={remove.error}
      act={() => remove.mutate(version.id)}
      close={close}
    >
      <p>
        <UserText text={promptName(version)} max={300} />
      </p>
      <p>Runs that used its texts keep them. This cannot be undone.</p>
    </DeleteDialog>
  );
}
