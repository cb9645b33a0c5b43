import { Time } from '../../../ui/time';
import { visible } from '../../../ui/user-text';

interface Used {
  last_used_at: string | null;
  address: string | null;
  agent: string | null;
}

/** When something was last used, and from where. */
export function LastUsed({ of: { last_used_at: at, address, agent } }: { of: Used }) {
  if (at === null) return 'never';
  const from = [address, agent].filter(Boolean).join(', ');
  return (
    <>
      <Time at={at} />
      {from !== '' && <span className="small muted given-line">{visible(from)}</span>}
    </>
  );
}
