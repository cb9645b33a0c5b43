import { useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ErrorNotice } from '../../../ui/notices';
import { CLOSING_ADDRESS } from '../address';
import { leaveFor } from '../api';
import { Entrance } from './entrance';

/** A window that leaves for a provider at once, and that closes at the end. The page behind it stays unchanged. */
export function SignInWindow() {
  const { provider = '' } = useSearch({ from: '/sign-in/window' });
  const { mutate, error } = useMutation({ mutationFn: (id: string) => leaveFor(id, CLOSING_ADDRESS) });
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    mutate(provider);
  }, [mutate, provider]);
  return (
    <Entrance title="Sign in to Toolmark">
      {error ? <ErrorNotice error={error} retry={() => mutate(provider)} /> : <p role="status">Opening the sign-in.</p>}
    </Entrance>
  );
}
