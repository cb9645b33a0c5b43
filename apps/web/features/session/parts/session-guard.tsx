import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { tab } from '../../../api/tab';

const load = () => import('./session-dialog');
const SessionDialog = lazy(async () => ({ default: (await load()).SessionDialog }));

/** By then the screen is there. */
const LATER_MS = 5000;

/** Asks to sign in again when the session has ended, over the screen. */
export function SessionGuard() {
  const state = useSyncExternalStore(tab.subscribe, tab.state);
  // Its code is there before it is needed: by then a newer release may have replaced it.
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => {}), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{state !== 'valid' && <SessionDialog state={state} />}</Suspense>;
}
