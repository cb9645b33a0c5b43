import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Json } from '#lib/contracts/json/json';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { useRefusal } from '../../../../api/session';
import { createSuite } from '../../api/suites';
import { useDraft } from '../../../../ui/draft';
import { DraftForm } from '../../../../ui/form/draft-form';
import type { Edited } from '../../../../ui/form/edited';
import { JsonField } from '../../../../ui/form/fields';
import { NEW_TOOL } from './new-tool';
import { SuiteFields } from './suite-fields';

const EMPTY: Edited = {
  value: { name: '', description: '', system_prompt: null, pass_threshold: 1, tools: [NEW_TOOL] },
  unread: {},
};

export function NewSuiteScreen() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const refusal = useRefusal('editor');
  const draft = useDraft('suites.new', EMPTY);
  const create = useAction(
    (input: Json, options) => createSuite(input, options),
    async ({ id }) => {
      draft.clear();
      void queries.invalidateQueries({ queryKey: keys.suites });
      await navigate({ to: '/suites/$suiteId', params: { suiteId: id } });
    },
  );
  const send = (): void => {
    if (Object.keys(draft.value.unread).length === 0) create.mutate(draft.value.value);
  };
  return (
    <>
      <header>
        <h1>New suite</h1>
        <p>
          Cases come next. A suite with cases can also be <Link to="/import">imported</Link>.
        </p>
      </header>
      <DraftForm {...{ draft, refusal, send }} saving={create} save="Create suite">
        <SuiteFields isNew />
        <JsonField
          path={['tools']}
          label="Tools"
          help="A list of tools. The formats of Anthropic, Gemini, MCP and OpenAI are accepted, too."
          rows={14}
        />
      </DraftForm>
    </>
  );
}
