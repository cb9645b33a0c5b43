import { useEffect, useState } from 'react';

const SETTLED_AFTER_MS = 400;

/** The value as it was when nothing changed for a moment: what is asked of the server while somebody types. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
