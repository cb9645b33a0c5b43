/** Memoizes a function of an object for the object's lifetime. A call that throws is tried again. */
export function memoize<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, { made: Made }>();
  return (key) => {
    let found = known.get(key);
    if (!found) known.set(key, (found = { made: make(key) }));
    return found.made;
  };
}
