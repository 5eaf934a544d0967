import type { Bridge } from '../../ports/bridge.ts';
import type { Router, RouterTokens } from '../../ports/router.ts';
import type { TokenData } from '../../ports/token-data.ts';
import type { Safes } from '../../adapters/safe-relayer/safe-transaction.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import { check, fail, ok, skipped, warn, type Check } from './check.ts';

/** What moves money and prices tokens. */
export interface MoneyParts {
  readonly bridge: Pick<Bridge, 'supportedAssets'>;
  readonly relayer: Pick<Safes, 'lookup'>;
  /** False where the relayer is shown no builder's key. */
  readonly hasBuilder: boolean;
  readonly router: Pick<Router & RouterTokens, 'offer'>;
  readonly tokens: Pick<TokenData, 'pools' | 'search'>;
  /** False where no tokens are launched. */
  readonly hasPinning: boolean;
  /** False where no indexer is set. */
  readonly hasIndexer: boolean;
}

/** The shape of the relayer's ids, of a transaction that there is not. */
const NO_TRANSACTION = '00000000-0000-4000-8000-000000000000';
/** An address without an owner: routes are asked for it, and nothing is signed. */
const NO_WALLET = '0x000000000000000000000000000000000000dEaD';
const ONE_DOLLAR = 1_000_000n;

/** Checks of bridge, relayer, router and token data by what they answer to anybody. */
export function moneyChecks(parts: MoneyParts): readonly Check[] {
  const { bridge, relayer, router, tokens } = parts;
  const lost = (setting: string) =>
    ({ level: 'warn', remedy: `see ${setting}, and whether the service is down` }) as const;
  return [
    check('bridge', lost('PREDICTD_BRIDGE_URL'), async () => {
      const assets = await bridge.supportedAssets();
      return assets.length === 0
        ? warn('it takes no tokens', 'deposits from other chains wait; see its status page')
        : ok(`it takes ${assets.length} tokens`);
    }),
    check('relayer', { ...lost('PREDICTD_RELAYER_URL'), level: 'fail' }, async () => {
      const answer = await relayer.lookup(NO_TRANSACTION);
      if (answer.kind === 'unreachable')
        return fail(
          `it does not answer as a relayer does: ${answer.cause}`,
          'see PREDICTD_RELAYER_URL',
        );
      return parts.hasBuilder
        ? ok('it answers; a key is shown with what is submitted')
        : warn(
            'it answers, and no builder key is set: it will take nothing, and no Safe is made',
            'set PREDICTD_RELAYER_KEY, PREDICTD_RELAYER_SECRET and PREDICTD_RELAYER_PASSPHRASE',
          );
    }),
    check('router', lost('PREDICTD_ROUTER_URL'), async () => {
      const { tool } = await router.offer({
        fromChain: 'POLYGON',
        toChain: 'BASE',
        sellToken: dollarOf('POLYGON'),
        buyToken: dollarOf('BASE'),
        amount: ONE_DOLLAR,
        sender: NO_WALLET,
        receiver: NO_WALLET,
        slippageBps: 100,
      });
      return ok(`it offers a route of 1 USD from Polygon to Base, by ${tool}`);
    }),
    check('token rankings', lost('PREDICTD_GECKO_URL'), async () => {
      const pools = await tokens.pools({
        chain: 'BASE',
        ranking: 'trending',
        page: 1,
        urgency: 'asked',
      });
      return ok(`${pools.length} pools are ranked on Base`);
    }),
    check('token search', lost('PREDICTD_DEXSCREENER_URL'), async () =>
      ok(`${(await tokens.search('USDC')).length} tokens are found for "USDC"`),
    ),
    check('pinning', lost('PREDICTD_PINNING_URL'), async () =>
      skipped(
        parts.hasPinning
          ? 'it takes files alone, and none is pinned for a test; its host is checked'
          : 'PREDICTD_PINNING_KEY is not set; no tokens are launched',
      ),
    ),
    check('token indexer', lost('PREDICTD_INDEXER_URL'), async () =>
      skipped(
        parts.hasIndexer
          ? 'it is asked about wallets alone; its host is checked'
          : 'PREDICTD_INDEXER_URL is not set; tokens that were never traded here are not listed',
      ),
    ),
  ];
}

function dollarOf(chain: 'POLYGON' | 'BASE'): string {
  const [dollar] = web3Chain(chain).tokens;
  return dollar?.address ?? '';
}
