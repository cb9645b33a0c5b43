import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { toText, type JsonObject } from '#lib/contracts/json/json';
import { MAX_INSTRUCTIONS_CHARS } from '#lib/contracts/values/judging';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { DeleteDialog } from '../../../ui/dialog';
import { NumberField } from '../../../ui/form/fields';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { SettingForm } from '../../../ui/form/setting-form';
import { count } from '../../../ui/amounts';
import { Head } from '../../../ui/head';
import { Tabs } from '../../../ui/tabs';
import { judgeSettingQuery, setJudge } from '../../judge/api';
import { ChooseModel } from '../../providers/parts/choose-models';
import { cacheQuery, clearCache, embeddingQuery, jobsSettingQuery, setCache, setEmbedding, setJobs } from '../api';
import { bytesInWords } from './setting-words';

/** The model that compares texts by meaning. */
export function EmbeddingScreen() {
  const { provider_key: key, model_id: id } = useSuspenseQuery(embeddingQuery).data;
  return (
    <>
      <SettingsHead title="Embedding">
        Cases that compare arguments by meaning (the rule &ldquo;semantic&rdquo;) need an embedding model. Without one,
        such a suite cannot run.
      </SettingsHead>
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
          help="A model of your providers. Its cost counts towards the month."
          none="none"
          whenEmpty={null}
        />
      </SettingForm>
    </>
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
    <>
      <SettingsHead title="Cache">
        A repeated request with the same settings at temperature 0 is answered by its stored reply and costs nothing.
      </SettingsHead>
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
        <NumberField
          path="lifetime_days"
          label="Lifetime of a reply in days"
          help="Also applies to replies already stored. 0: none is used."
        />
      </SettingForm>
      <Clear entries={entries} />
    </>
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
        <DeleteDialog
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
        </DeleteDialog>
      )}
    </div>
  );
}

/** How many jobs of each user run concurrently. */
export function JobSettingsScreen() {
  const { data: setting } = useSuspenseQuery(jobsSettingQuery);
  return (
    <>
      <SettingsHead title="Jobs">
        The limit of running jobs per user. Further jobs wait, first come, first served.{' '}
        <Link to="/jobs">Waiting jobs</Link>
      </SettingsHead>
      <SettingForm name="jobs" stored={setting} put={setJobs} refreshes={keys.settings} save="Save limit">
        <NumberField
          path="running_jobs_per_user"
          label="Running jobs per user"
          help="From 1 to 100. Raising it starts waiting jobs at once; lowering it stops no job."
        />
      </SettingForm>
    </>
  );
}

/** The default judge, and which runs are judged automatically. */
export function JudgeSettingsScreen() {
  const { data: setting } = useSuspenseQuery(judgeSettingQuery);
  return (
    <>
      <SettingsHead title="Judge">
        The judge of reports that name no other model. It changes no score.{' '}
        <Link to="/judge">Reports, labels and calibration</Link>
      </SettingsHead>
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
    </>
  );
}

const JUDGE: FormSchema = [
  <ChooseModel path="judge" label="Model" help="It must support tool calls." whenEmpty={null} none="none" />,
  {
    longText: 'instructions',
    label: 'Instructions',
    help: 'Added to the rules that every judge gets. A change starts a new calibration.',
    maxLength: MAX_INSTRUCTIONS_CHARS,
    whenEmpty: '',
  },
  {
    number: 'auto_below',
    label: 'Judge runs automatically below',
    help: 'A score from 0 to 1. 0: never; 1: every run that has something wrong.',
  },
];

/** The heading of a screen of settings, links to the others, and what the screen is about. */
export const SettingsHead = ({ title, children }: { title: string; children: ReactNode }) => (
  <>
    <Head title={title} trail={TRAIL} />
    <Tabs label="Settings" items={SECTIONS} />
    <p>{children}</p>
  </>
);

const TRAIL = [{ to: '/settings', label: 'Settings' }] as const;
const SECTIONS = [
  { to: '/settings/tokens', label: 'Tokens' },
  { to: '/settings/embedding', label: 'Embedding' },
  { to: '/settings/cache', label: 'Cache' },
  { to: '/settings/jobs', label: 'Jobs' },
  { to: '/settings/judge', label: 'Judge' },
  { to: '/settings/teams', label: 'Teams' },
] as const;
