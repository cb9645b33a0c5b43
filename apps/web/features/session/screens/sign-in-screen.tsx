import { useRouter, useSearch } from '@tanstack/react-router';
import { signIn } from '../../../api/session';
import { dropOffers } from '../../../ui/undo';
import { signedInAddress } from '../address';
import { leaveFor } from '../api';
import { SignInWays } from '../parts/sign-in-ways';
import { Entrance } from './entrance';

/** The providers where people sign in, and a field for a token. */
export function SignInScreen() {
  const router = useRouter();
  const { back } = useSearch({ from: '/sign-in' });
  const enter = async (token: string): Promise<void> => {
    dropOffers();
    await signIn(token);
    router.history.replace(back ?? '/');
  };
  return (
    <Entrance title="Sign in to Toolmark">
      {back !== undefined && <p className="muted">You then return to where you were.</p>}
      <SignInWays begin={(id) => leaveFor(id, signedInAddress(back))} enter={enter} />
    </Entrance>
  );
}
