import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toText, type JsonObject } from '#lib/contracts/json/json';
import type { EmbeddingSetting } from '#lib/contracts/settings';
import { keys } from '../../../api/keys';
import { embeddingQuery, setEmbedding } from '../api';
import { ErrorNotice } from '../../../ui/error-notice';
import { SettingForm } from '../../../ui/form/setting-form';
import { ChooseModel } from '../../providers/parts/choose-model';
import { Skeleton } from '../../../ui/skeleton';
import { SettingsNav } from './settings-nav';

/** The model that compares texts by meaning. */
export function EmbeddingScreen() {
  const { data, error, isPending, refetch } = useQuery(embeddingQuery);
  return (
    <>
      <h1>Embedding</h1>
      <SettingsNav />
      <p>
        Cases that compare arguments by meaning (the rule &ldquo;semantic&rdquo;) need an embedding model. Without one,
        such a suite cannot run.
      </p>
      {isPending && <Skeleton rows={3} />}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data && <EmbeddingForm setting={data} />}
    </>
  );
}

function EmbeddingForm({ setting: { provider_key: key, model_id: id } }: { setting: EmbeddingSetting }) {
  const stored = useMemo(() => ({ model: key === null ? null : `${key}::${id}` }), [key, id]);
  return (
    <SettingForm
      name="embedding"
      stored={stored}
      put={setEmbedding}
      bodyOf={bodyOf}
      refreshes={keys.settings}
      save="Save model"
    >
      <ChooseModel
        path={['model']}
        label="Embedding model"
        help="A model of your providers. Its cost counts towards the month."
        none="none"
        whenEmpty={null}
      />
    </SettingForm>
  );
}

const SEPARATOR = '::';
function bodyOf({ model }: JsonObject): JsonObject {
  const text = toText(model ?? '');
  if (text === '') return { provider_key: null, model_id: null };
  // Model ids may contain the separator, provider keys may not.
  const end = text.indexOf(SEPARATOR);
  return { provider_key: text.slice(0, end), model_id: text.slice(end + SEPARATOR.length) };
}
