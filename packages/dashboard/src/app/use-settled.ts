import { useEffect, useState } from 'react';

/** How long nothing is typed before what was typed is asked for, in milliseconds. */
const PAUSE_MS = 200;

/** The value, once it has not changed for a moment. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
