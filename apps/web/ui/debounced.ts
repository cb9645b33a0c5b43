import { useEffect, useState } from 'react';

const SETTLED_AFTER_MS = 400;

/** The value after a short pause in changes: used for requests while the user types. */
export function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
