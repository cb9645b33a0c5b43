import { useEffect } from 'react';

// One set for the page: forms of any screen and dialog.
const forms = new Set<object>();

/** Whether a form on the page has changes that are not saved. */
export const hasUnsavedChanges = (): boolean => forms.size > 0;

/** Counts the changes of a form while it is on the page. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const form = {};
    forms.add(form);
    return () => void forms.delete(form);
  }, [isChanged]);
}
