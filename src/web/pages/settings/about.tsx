import { useQuery } from '@tanstack/react-query';
import { useDaemonNow, useMarketClock } from '../../app/clock.ts';
import { sandboxTime } from '../../format/time.ts';
import type { MarketClock } from '../../live/market-clock.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Page } from '../../ui/layout.tsx';
import { StateDot } from '../../ui/state.tsx';

interface Health {
  readonly version: string;
  readonly profile: string;
}

/** What runs, whether it can work, and whose work is in it. */
export function AboutPage() {
  const health = useQuery<Health>({
    queryKey: ['healthz'],
    // the shape of the route's own schema
    queryFn: async () => (await (await fetch('/healthz')).json()) as Health,
  });
  const ready = useQuery<boolean>({
    queryKey: ['readyz'],
    queryFn: async () => (await fetch('/readyz')).ok,
    refetchInterval: 10_000,
  });
  const clock = useMarketClock();
  const nowMs = useDaemonNow();
  return (
    <Page title="About">
      <Card title="The service">
        <Facts
          rows={[
            ['Version', health.data?.version ?? '–'],
            ['Profile', health.data?.profile ?? '–'],
            [
              'State',
              <StateDot key="state" state={ready.data === true ? 'on' : 'late'}>
                {ready.data === undefined ? 'not known' : ready.data ? 'ready' : 'not ready'}
              </StateDot>,
            ],
          ]}
        />
      </Card>
      <Card title="How figures are written" isPadded>
        <p className="muted">
          Money is rounded to the nearest cent, and a total is the sum of its parts as they are
          shown; the exact amount shows when you point at it. “–” is what is not known.{' '}
          {clockWords(clock, nowMs)}
        </p>
      </Card>
      <Card title="Work of others" isPadded>
        <p className="muted">
          Charts: Lightweight Charts by TradingView (
          <a className="link" href="https://www.tradingview.com/" rel="noreferrer">
            tradingview.com
          </a>
          , Apache-2.0). Type: Geist (OFL-1.1). Icons: Lucide (ISC).
        </p>
      </Card>
    </Page>
  );
}

function clockWords(clock: MarketClock, nowMs: number): string {
  return clock.speed === 1 ? 'All times are this device’s.' : sandboxTime(clock, nowMs);
}
