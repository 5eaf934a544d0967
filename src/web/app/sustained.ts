import { useEffect, useState } from 'react';

/** True once something has been so for a while: what comes and goes within it is no news. */
export function useSustained(isSo: boolean, afterMs: number): boolean {
  const [isSustained, setSustained] = useState(false);
  useEffect(() => {
    if (!isSo) return undefined;
    const timer = setTimeout(() => setSustained(true), afterMs);
    return () => {
      clearTimeout(timer);
      setSustained(false);
    };
  }, [isSo, afterMs]);
  return isSo && isSustained;
}
