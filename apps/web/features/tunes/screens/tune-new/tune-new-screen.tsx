import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { paramTunes } from '../../api';
import { ErrorNotice } from '../../../../ui/error-notice';
import { Skeleton } from '../../../../ui/skeleton';
import { TuneForm } from './tune-form';
import { emptyTune, fromTune } from './tune-value';
import './tune-new.css';

/** A new parameter tune, with its estimate before it starts. */
export function TuneNewScreen() {
  const { suite = '', from } = useSearch({ from: '/signed-in/tunes/new' });
  const earlier = useQuery({ ...paramTunes.query(from ?? ''), enabled: from !== undefined });
  const initial = useMemo(() => {
    if (from === undefined) return emptyTune(suite);
    return earlier.data && fromTune(earlier.data);
  }, [suite, from, earlier.data]);
  const key = `new tune ${suite} ${from ?? ''}`;
  return (
    <>
      <h1>New parameter tune</h1>
      {!initial && earlier.isPending && <Skeleton rows={12} />}
      {!initial && earlier.isError && <ErrorNotice error={earlier.error} retry={() => earlier.refetch()} />}
      {initial && <TuneForm key={key} draftKey={key} initial={initial} />}
    </>
  );
}
