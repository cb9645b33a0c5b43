import { useMemo } from 'react';
import type { Spending } from '#lib/contracts/settings';
import { keys } from '../../../api/keys';
import { setSpending } from '../../settings/api/settings';
import { NumberField } from '../../../ui/form/fields';
import { SettingForm } from '../../../ui/form/setting-form';

/** The team's monthly spending limit. */
export function SpendingForm({ spending: { monthly_cap_usd: cap } }: { spending: Spending }) {
  const stored = useMemo(() => ({ monthly_cap_usd: cap }), [cap]);
  return (
    <SettingForm
      name="spending"
      stored={stored}
      put={setSpending}
      bodyOf={(value) => ({ monthly_cap_usd: null, ...value })}
      refreshes={keys.settings}
      save="Save the cap"
    >
      <NumberField path={['monthly_cap_usd']} label="Monthly cap in US dollars" help="Empty: no cap." />
    </SettingForm>
  );
}
