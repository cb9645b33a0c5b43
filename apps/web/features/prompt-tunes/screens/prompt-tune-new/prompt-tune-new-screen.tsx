import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { promptTunes } from '../../api';
import { ErrorNotice } from '../../../../ui/error-notice';
import { Skeleton } from '../../../../ui/skeleton';
import { PromptTuneForm } from './prompt-tune-form';
import { emptyPromptTune, fromPromptTune } from './prompt-tune-value';
import './prompt-tune-new.css';

/** A new prompt tune, with its estimate before it starts. */
export function PromptTuneNewScreen() {
  const { suite = '', from } = useSearch({ from: '/signed-in/tunes/new-prompt' });
  const earlier = useQuery({ ...promptTunes.query(from ?? ''), enabled: from !== undefined });
  const initial = useMemo(() => {
    if (from === undefined) return emptyPromptTune(suite);
    return earlier.data && fromPromptTune(earlier.data);
  }, [suite, from, earlier.data]);
  const key = `new prompt tune ${suite} ${from ?? ''}`;
  return (
    <>
      <h1>New prompt tune</h1>
      {!initial && earlier.isPending && <Skeleton rows={12} />}
      {!initial && earlier.isError && <ErrorNotice error={earlier.error} retry={() => earlier.refetch()} />}
      {initial && <PromptTuneForm key={key} draftKey={key} initial={initial} />}
    </>
  );
}
