import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { CacheSetting } from '#lib/contracts/settings';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { cacheQuery, clearCache, setCache } from '../api';
import { AllowedButton } from '../../../ui/allowed-button';
import { DeleteDialog } from '../../../ui/dialog';
import { ErrorNotice } from '../../../ui/error-notice';
import { NumberField } from '../../../ui/form/fields';
import { SettingForm } from '../../../ui/form/setting-form';
import { count } from '../../../ui/score';
import { Skeleton } from '../../../ui/skeleton';
import { bytesInWords } from './bytes';
import { SettingsNav } from './settings-nav';

/** Stored replies: how long they are reused, and how many there are. */
export function CacheScreen() {
  const { data, error, isPending, refetch } = useQuery(cacheQuery);
  return (
    <>
      <h1>Cache</h1>
      <SettingsNav />
      <p>
        A repeated request with the same settings at temperature 0 is answered by its stored reply and costs nothing.
      </p>
      {isPending && <Skeleton rows={4} />}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data && (
        <>
          <p className="sentence">
            {data.entries === 0
              ? 'No replies are stored.'
              : `${count(data.entries)} ${data.entries === 1 ? 'reply is' : 'replies are'} stored, ` +
                `${bytesInWords(data.bytes)} compressed.`}
          </p>
          <CacheForm setting={data} />
          <Clear entries={data.entries} />
        </>
      )}
    </>
  );
}

function CacheForm({ setting: { lifetime_days: days } }: { setting: CacheSetting }) {
  const stored = useMemo(() => ({ lifetime_days: days }), [days]);
  return (
    <SettingForm name="cache" stored={stored} put={setCache} refreshes={keys.settings} save="Save lifetime">
      <NumberField
        path={['lifetime_days']}
        label="Lifetime of a reply in days"
        help="Also applies to replies already stored. 0: none is used."
      />
    </SettingForm>
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
