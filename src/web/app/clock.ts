import type { Output } from '../api/routes.ts';
import { call } from '../api/client.ts';
import { queryClient } from '../api/query.ts';
import { marketClockOf, daemonNowMs, type MarketClock } from '../live/market-clock.ts';
import { useQuery } from '@tanstack/react-query';
import { useNow } from './now.ts';

const SAME: MarketClock = { speed: 1, skewMs: 0, aheadMs: 0, readAtMs: 0 };
const READ_EVERY_MS = 300_000;

/** The market clock, as far as it is known. */
export function useMarketClock(): MarketClock {
  const { data } = useQuery(
    {
      queryKey: ['market clock'],
      queryFn: async () => {
        const sentAtMs = Date.now();
        const answer: Output<'GET /api/time'> = await call('GET /api/time', {});
        return marketClockOf(answer, sentAtMs, Date.now());
      },
      staleTime: READ_EVERY_MS,
      refetchInterval: READ_EVERY_MS,
    },
    queryClient,
  );
  return data ?? SAME;
}

/** The daemon's wall time once a second, by which every moment of the interface is written. */
export function useDaemonNow(): number {
  const clock = useMarketClock();
  return daemonNowMs(clock, useNow());
}
