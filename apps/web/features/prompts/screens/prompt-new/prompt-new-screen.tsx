import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { toText } from '#lib/contracts/json/json';
import { componentsOf } from '#lib/contracts/prompt-components';
import { promptVersionQuery } from '../../api';
import { suiteQuery } from '../../../suites/api';
import { ErrorNotice } from '../../../../ui/error-notice';
import { ChooseSuite } from '../../../suites/parts/choose-suite';
import { JsonForm } from '../../../../ui/form/json-form';
import { valueAt } from '../../../../ui/form/edited';
import { Skeleton } from '../../../../ui/skeleton';
import { PromptForm } from './prompt-form';

const route = getRouteApi('/signed-in/prompts/new');

/** A hand-written prompt version, based on the texts of a suite or of another version. */
export function PromptNewScreen() {
  const { suite: suiteId = '', from } = route.useSearch();
  const navigate = route.useNavigate();
  const suite = useQuery({ ...suiteQuery(suiteId), enabled: suiteId !== '' });
  const parent = useQuery({ ...promptVersionQuery(from ?? ''), enabled: from !== undefined });
  const inSuite = useMemo(
    () => suite.data && Object.fromEntries(componentsOf(suite.data.system_prompt, suite.data.tools)),
    [suite.data],
  );
  const failed = [suite, parent].find(({ isError }) => isError);
  const isRead = inSuite !== undefined && (from === undefined || parent.data !== undefined);
  return (
    <>
      <h1>New prompt version</h1>
      <JsonForm
        edited={{ value: { suite_id: suiteId }, unread: {} }}
        change={({ value }) =>
          void navigate({ search: { suite: toText(valueAt(value, ['suite_id'])) || undefined }, replace: true })
        }
        error={null}
        refusal={undefined}
      >
        <div className="fields">
          <ChooseSuite path="suite_id" />
        </div>
      </JsonForm>
      {failed && <ErrorNotice error={failed.error!} retry={() => failed.refetch()} />}
      {suiteId !== '' && !isRead && !failed && <Skeleton rows={8} />}
      {isRead && <PromptForm key={`${suiteId} ${from}`} suiteId={suiteId} inSuite={inSuite} parent={parent.data} />}
    </>
  );
}
