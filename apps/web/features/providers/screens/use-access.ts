import { useState } from 'react';
import type { Outside } from '../../../ui/form/form';
import type { Access } from './access-value';

/** What is entered of keys, headers and certificates, apart from the draft, which the browser stores. */
export function useAccess(): Outside & { value: Access; change: (access: Access) => void } {
  const [value, change] = useState<Access>({});
  return { value, change, isChanged: Object.keys(value).length > 0, clear: () => change({}) };
}
