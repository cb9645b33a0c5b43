import { useEffect, useState } from 'react';

const SETTLED_AFTER_MS = 400;

/** The value after a short pause in changes: used for requests while the user types. */
export function useDebounced<Value>(value: Value, afterMs = SETTLED_AFTER_MS): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
