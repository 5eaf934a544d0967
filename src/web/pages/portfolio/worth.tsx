import { useRead } from '../../api/query.ts';
import { Money } from '../../ui/figures.tsx';
import { Stat } from '../../ui/layout.tsx';

/**
 * What is at the venues, and beside it what one's own wallets hold that no venue is paid from: of
 * both the daemon states the worth, and neither is in the other.
 */
export function Worth({ totalUsdc }: { readonly totalUsdc: string }) {
  const wallets = useRead('GET /api/web3/view', {});
  return (
    <>
      <Stat name="Cash and positions" term="worth" isLarge>
        <Money amount={totalUsdc} />
      </Stat>
      <Stat name="Other tokens in your wallets, not counted" term="walletsWorth">
        <Money amount={wallets.data?.uncountedUsd ?? null} />
        {wallets.data?.partial === true ? <span className="warn"> and more</span> : null}
      </Stat>
    </>
  );
}
