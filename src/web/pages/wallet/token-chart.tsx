import { useEffect, useState } from 'react';
import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { Card } from '../../ui/card.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import type { ChartPoint } from '../../ui/even-points.ts';
import type { Chain } from './holdings.ts';
import { dayBefore, withPrice } from './token-points.ts';

/** No topic has prices of tokens. */
const EVERY_MS = 15_000;

/**
 * The price of a token since its page was opened, against that of a day ago: the data provider's
 * answers hold no past prices.
 */
export function TokenChart({
  chain,
  info: { token, readAtMs },
}: {
  readonly chain: Chain;
  readonly info: Output<'GET /api/web3/token/dexdata/'>;
}) {
  const newest = useRead(
    'GET /api/web3/realtime/',
    { query: { tokens: `${chain}:${token.address}` } },
    { everyMs: EVERY_MS },
  );
  const [points, setPoints] = useState<readonly ChartPoint[]>([]);
  const { priceUsd } = token;
  useEffect(() => {
    setPoints((before) => withPrice(before, { priceUsd, atMs: readAtMs }));
  }, [priceUsd, readAtMs]);
  const price = newest.data?.data[0];
  useEffect(() => {
    if (price === undefined) return;
    setPoints((before) => withPrice(before, { priceUsd: price.priceUsd, atMs: price.priceAtMs }));
  }, [price]);
  return (
    <Card title="Price">
      <LazyChart
        label="Price"
        points={points}
        base={dayBefore(priceUsd, token.change24hPercent)}
        baseLabel="a day ago"
        empty="No price of it is known now, so there is nothing to draw."
        format="token"
      />
      <p className="faint" style={{ padding: '0 16px 14px' }}>
        The line begins when this page was opened: the data provider tells what a token costs now
        and how far that is from a day ago, which is the dashed line, and nothing in between.
      </p>
    </Card>
  );
}
