import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { announce } from '../../../api/session-news';
import { Entrance } from './entrance';

/** The end of a sign-in at a provider. It tells the other tabs, and opens the page or closes its window. */
export function SignedInScreen() {
  const router = useRouter();
  const { back, close } = useSearch({ from: '/sign-in/done' });
  useEffect(() => {
    announce('signed in');
    if (close) window.close();
    else router.history.replace(back ?? '/');
  }, [router, back, close]);
  return <Entrance title="You are signed in">{close && <p>Close this window to go on where you were.</p>}</Entrance>;
}
