import { getAddress } from 'viem';
import { AppError } from '../../../domain/errors.ts';
import { asId, type Address, type AttemptId, type OrderId } from '../../../domain/ids.ts';
import type { EvmClients } from '../../../ports/chain-clients.ts';
import type { EvmCall } from '../../../ports/evm.ts';
import type { KeyVault } from '../../../ports/key-vault.ts';
import type { OrderSigner } from '../../../ports/order-signer.ts';
import type { Random } from '../../../ports/random.ts';
import { ownOf } from '../own.ts';
import { buyCall, readReserves, sellCall, type PoolMoney } from './contract.ts';
import { gasLacking, gasNeeded } from './gas.ts';
import type { KnownPools } from './known-pools.ts';
import { readPrepared, type PreparedTrade } from './prepared.ts';
import { quoteOf } from './quote.ts';
import { missingRight } from './rights.ts';

/**
 * Makes the signer of trades with pools. The user's own account trades with the contract, so what
 * is fixed here is the call; its nonce, its fees and its signature are those of the account's queue
 * (`gateway.ts`). The same preparation gives the same call under the same name.
 */
export function createPoolSigner(parts: {
  readonly vault: Pick<KeyVault, 'has' | 'load' | 'addressOf'>;
  readonly random: Random;
  readonly chain: Pick<EvmClients, 'evm' | 'accounts'>;
  readonly money: PoolMoney;
  readonly pools: KnownPools;
}): OrderSigner {
  const { vault, random, chain, money, pools } = parts;
  return {
    asksVenue: true,
    async prepare({ intent, market }): Promise<PreparedTrade> {
      const own = ownOf(market);
      if (own.tradeType !== 'amm')
        throw new AppError('internal', `market ${market.marketId} is traded with no pool`);
      const { userId, side, outcome } = intent;
      if (!vault.has(userId)) await vault.load(userId);
      const wallet = vault.addressOf(userId);
      const address = asId<Address>(getAddress(own.address));
      const [first, second] = market.outcomes;
      const place = { address, tokens: [first.tokenId, second.tokenId] } as const;
      const [feeE18, reserves, gasWei] = await Promise.all([
        pools.feeOf(address),
        readReserves(chain.evm, place, money),
        gasFor(chain, wallet),
      ]);
      if (feeE18 === null)
        throw new AppError('market_not_supported', 'there is no pool of this venue at the address');
      const { dollars, shares } = quoteOf({ reserves, feeE18 }, intent);
      const trade =
        side === 'buy'
          ? buyCall(address, outcome, { dollars, leastShares: shares })
          : sellCall(address, outcome, { dollars, mostShares: shares });
      const right = await missingRight(chain, money, { wallet, pool: address, side, dollars });
      return {
        key: uuidOf(random),
        wallet,
        pool: address,
        trade: storedCall(trade),
        right: right === null ? null : storedCall(right),
        gasWei: String(gasWei),
      };
    },
    sign(_intent, prepared) {
      const extra = readPrepared(prepared);
      return {
        attemptId: asId<AttemptId>(extra.key),
        orderId: asId<OrderId>(extra.key),
        extra,
        body: JSON.stringify(extra.trade),
      };
    },
  };
}

/**
 * Resolves with the coin that a right and a trade may take. Errors: `wallet_not_ready` where the
 * wallet has less, `chain_unavailable`.
 */
async function gasFor(
  chain: Pick<EvmClients, 'evm' | 'accounts'>,
  wallet: Address,
): Promise<bigint> {
  const [{ wei: held }, fees] = await Promise.all([
    chain.evm.balances(wallet, []),
    chain.accounts.fees(),
  ]);
  const needed = gasNeeded(chain, fees);
  if (held >= needed) return needed;
  throw gasLacking(wallet, { needed, held });
}

function storedCall({ to, data }: EvmCall): PreparedTrade['trade'] {
  return { to, data };
}

/** A version 4 UUID: the form of the venue's own ids of orders. */
function uuidOf(random: Random): string {
  const hex = Buffer.from(random.bytes(16)).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
