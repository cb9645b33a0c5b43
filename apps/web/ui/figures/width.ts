import { useEffect, useRef, useState } from 'react';

/** The width of an element in pixels, for pictures whose texts keep their size. @param first until it is known */
export function useWidth<Of extends HTMLElement>(first: number) {
  const ref = useRef<Of>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}
