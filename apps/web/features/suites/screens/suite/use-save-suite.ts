import { useQueryClient } from '@tanstack/react-query';
import type { Json } from '#lib/contracts/json/json';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { changeSuite, suiteQuery } from '../../api/suites';
import type { Draft } from '../../../../ui/draft';
import type { Edited } from '../../../../ui/form/edited';

/**
 * Saves a part of a suite from its draft.
 * @param patchOf the request body for the edited value
 */
export function useSaveSuite(suiteId: string, draft: Draft<Edited>, patchOf: (typed: Json) => Json) {
  const queries = useQueryClient();
  const saving = useAction(
    (typed: Json, options) => changeSuite(suiteId, patchOf(typed), options),
    ({ warnings: _warnings, ...written }, typed) => {
      queries.setQueryData(suiteQuery(suiteId).queryKey, written);
      // Changes made while it was being saved remain a draft.
      if (draft.value.value === typed) draft.clear();
      void queries.invalidateQueries({ queryKey: keys.suites });
    },
  );
  const send = (): void => {
    if (Object.keys(draft.value.unread).length === 0) saving.mutate(draft.value.value);
  };
  const { version, warnings = [] } = saving.data ?? {};
  return { saving, send, saved: version === undefined ? undefined : `Saved: version ${version}.`, warnings };
}
