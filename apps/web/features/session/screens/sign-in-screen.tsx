import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { signIn } from '../../../api/session';
import { dropOffers } from '../../../ui/undo';
import { signedInAddress } from '../address';
import { leaveFor } from '../api';
import { waysQuery } from '../ways';
import { SignInWays } from '../parts/sign-in-ways';
import { whyNot } from '../sign-in-words';
import { Entrance } from './entrance';

/** The providers where people sign in, and a field for a token. */
export function SignInScreen() {
  const router = useRouter();
  const { back, why, provider } = useSearch({ from: '/sign-in' });
  const { data } = useQuery(waysQuery);
  const enter = async (token: string): Promise<void> => {
    dropOffers();
    await signIn(token);
    router.history.replace(back ?? '/');
  };
  return (
    <Entrance title="Sign in to Toolmark">
      {why !== undefined && (
        <div className="problem" role="alert">
          <p>{whyNot(why, data?.providers.find(({ id }) => id === provider)?.name)}</p>
        </div>
      )}
      {back !== undefined && <p className="muted">You then return to where you were.</p>}
      <SignInWays begin={(id) => leaveFor(id, signedInAddress(back))} enter={enter} />
    </Entrance>
  );
}
