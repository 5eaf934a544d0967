import { directionOf, signedUsd, usd } from '../format/money.ts';
import { exactMoment, relative } from '../format/time.ts';
import { useDaemonNow } from '../app/clock.ts';

/** An amount in USD, exact on hover. */
export function Money({ amount }: { readonly amount: string | null }) {
  return <span title={amount === null ? 'not known' : `${amount} USDC`}>{usd(amount)}</span>;
}

/** A result with its sign and colour, exact on hover. */
export function Profit({ amount }: { readonly amount: string | null }) {
  const direction = directionOf(amount);
  return (
    <span
      className={direction === 'flat' ? undefined : direction}
      title={amount === null ? 'not known' : `${amount} USDC`}
    >
      {signedUsd(amount)}
    </span>
  );
}

/** A moment against now, exact on hover. */
export function Moment({ atMs }: { readonly atMs: number | null }) {
  const nowMs = useDaemonNow();
  if (atMs === null) return <>–</>;
  return (
    <time dateTime={new Date(atMs).toISOString()} title={exactMoment(atMs)}>
      {relative(atMs, nowMs)}
    </time>
  );
}
