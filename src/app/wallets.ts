import type { Asset } from '../domain/ids.ts';
import type { ApiServices } from '../http/services.ts';
import type { TokenPrice } from '../services/web3/balances.ts';
import { createSolanaGate } from '../services/web3/solana-gate.ts';
import { createWalletViews } from '../services/web3/wallet-views.ts';
import type { Core } from './core.ts';
import type { Runtime } from './runtime.ts';
import type { ExternalServices } from './external-services.ts';
import type { People } from './identity.ts';

/** What looking at wallets is joined from. */
export interface WalletParts {
  readonly runtime: Runtime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly people: People;
}

/** Joins the views of wallets with the chains and the exchange's prices, which may be shown (feeds.md section 2.1). */
export function createWallets({
  runtime,
  external,
  core,
  people,
}: WalletParts): Pick<ApiServices, 'wallets' | 'solana'> {
  const { wallClock: clock } = runtime;
  const { chains } = external;
  return {
    wallets: createWalletViews({
      walletsOf: (userId) => people.accounts.profile(userId).wallets,
      evm: chains.evm,
      solana: chains.solana,
      priceOf: (asset) => currentPrice(core, asset),
      clock,
    }),
    solana: createSolanaGate({ node: chains.solanaNode, clock }),
  };
}

/** The exchange's streams run as long as the daemon does, so the newest price is there at once, or there is none. */
function currentPrice(core: Core, asset: Asset): TokenPrice | null {
  let price: TokenPrice | null = null;
  core.exchange
    .price(asset)
    .subscribe((reading) => {
      price =
        reading === null ? null : { priceE8: BigInt(reading.value), atMs: reading.sourceAtMs };
    })
    .unsubscribe();
  return price;
}
