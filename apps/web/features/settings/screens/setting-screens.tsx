import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toText, type JsonObject } from '#lib/contracts/json/json';
import { MAX_INSTRUCTIONS_CHARS } from '#lib/contracts/values/judging';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ConfirmDialog } from '../../../ui/dialog';
import { NumberField } from '../../../ui/form/fields';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { SettingForm } from '../../../ui/form/setting-form';
import { count } from '../../../ui/amounts';
import { judgeSettingQuery, setJudge } from '../../judge/api';
import { ChooseModel } from '../../providers/parts/choose-models';
import { cacheQuery, clearCache, embeddingQuery, setCache, setEmbedding } from '../api';
import { bytesInWords } from './setting-words';
import { SettingsPage } from './settings-page';

/** The model that compares texts by meaning. */
export function EmbeddingScreen() {
  const { provider_key: key, model_id: id } = useSuspenseQuery(embeddingQuery).data;
  return (
    <SettingsPage title="Embedding" about={'Compares arguments by meaning: the rule “semantic”.'}>
      <SettingForm
        name="embedding"
        stored={{ model: key === null ? null : `${key}${SEPARATOR}${id}` }}
        put={setEmbedding}
        bodyOf={modelBody}
        refreshes={keys.settings}
        save="Save model"
      >
        <ChooseModel
          path="model"
          label="Embedding model"
          help="Suites with this rule cannot run without one."
          none="none"
          whenEmpty={null}
        />
      </SettingForm>
    </SettingsPage>
  );
}

const SEPARATOR = '::';
function modelBody({ model }: JsonObject): JsonObject {
  const text = toText(model ?? '');
  if (text === '') return { provider_key: null, model_id: null };
  // Model ids may contain the separator, provider keys may not.
  const end = text.indexOf(SEPARATOR);
  return { provider_key: text.slice(0, end), model_id: text.slice(end + SEPARATOR.length) };
}

/** Stored replies: how long they are reused, and how many there are. */
export function CacheScreen() {
  const { entries, bytes, lifetime_days } = useSuspenseQuery(cacheQuery).data;
  return (
    <SettingsPage
      title="Stored replies"
      about={'At temperature 0, a repeated request takes its stored reply and costs nothing.'}
    >
      <p>
        {entries === 0
          ? 'No replies are stored.'
          : `${count(entries)} ${entries === 1 ? 'reply is' : 'replies are'} stored, ` +
            `${bytesInWords(bytes)} compressed.`}
      </p>
      <SettingForm
        name="cache"
        stored={{ lifetime_days }}
        put={setCache}
        refreshes={keys.settings}
        save="Save lifetime"
      >
        <NumberField path="lifetime_days" label="Lifetime of a reply in days" help="0: none is used." />
      </SettingForm>
      <Clear entries={entries} />
    </SettingsPage>
  );
}

function Clear({ entries }: { entries: number }) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('editor');
  const clear = useAction(clearCache, async () => {
    setOpen(false);
    await queryClient.invalidateQueries({ queryKey: keys.settings });
  });
  return (
    <div className="actions">
      <AllowedButton refusal={refusal} className="danger" onClick={() => setOpen(true)}>
        Clear the cache
      </AllowedButton>
      {isOpen && (
        <ConfirmDialog
          title="Clear the cache?"
          action="Clear it"
          isPending={clear.isPending}
          error={clear.error}
          act={() => clear.mutate('all')}
          close={() => setOpen(false)}
        >
          <p>
            {count(entries)} stored {entries === 1 ? 'reply is' : 'replies are'} no longer used: the next runs ask the
            models again and pay for it. Results keep their replies.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

/** The default judge, and which runs are judged automatically. */
export function JudgeSettingsScreen() {
  const { data: setting } = useSuspenseQuery(judgeSettingQuery);
  return (
    <SettingsPage title="Judge" about={<Link to="/judge">Reports, labels and calibration</Link>}>
      <SettingForm
        name="judge setting"
        stored={setting}
        put={setJudge}
        // An empty field means never, which the API also has as its default.
        bodyOf={(value) => ({ auto_below: 0, ...value })}
        refreshes={keys.judge}
        save="Save the settings"
      >
        <Fields of={JUDGE} />
      </SettingForm>
    </SettingsPage>
  );
}

const JUDGE: FormSchema = [
  <ChooseModel path="judge" label="Model" help="It must support tool calls." whenEmpty={null} none="none" />,
  {
    longText: 'instructions',
    label: 'Instructions',
    help: 'A change starts a new calibration.',
    maxLength: MAX_INSTRUCTIONS_CHARS,
    whenEmpty: '',
  },
  {
    number: 'auto_below',
    label: 'Judge runs automatically below',
    help: 'A score from 0 to 1. 0: never.',
  },
];
