import { encodeFunctionData, maxUint256, type Hex, type TransactionReceipt } from 'viem';
import { CHAIN_VENUE, LOCAL_CHAIN } from '../../../../../config/limits/sandbox-chains.ts';
import { POOL_AMM } from '../../../../../config/limits/sandbox-pools.ts';
import type { OutcomeIndex } from '../../../../domain/market.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { CONDITIONAL_TOKENS_ABI, TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import { createEvmSender, type EvmSender } from '../../../chains/evm/evm-sender.ts';
import { setNativeBalance, type LocalChain } from '../../../chains/evm/local-chain.ts';
import { hasCode } from '../../../chains/evm/place-code.ts';
import { VENUE_C_CHAIN } from '../chain-addresses.ts';
import type { VenueMarket } from '../model/market.ts';
import { prepareCondition } from './conditions.ts';
import { POOL_ABI, POOL_FACTORY_ABI } from './pool-abi.ts';
import { POOL_FEE_E18, poolAddress, poolFactory } from './pool-address.ts';

/** A trade of an account with a pool: dollars paid for shares, or taken for them; micros. */
interface PoolTrade {
  readonly side: 'buy' | 'sell';
  readonly outcome: OutcomeIndex;
  readonly dollars: bigint;
}

/** The account that makes, funds and trades the venue's pools. */
export interface PoolAccount {
  readonly address: Hex;
  addressOf(market: VenueMarket): Hex;
  /**
   * Makes and funds the pool of a market, at a chance of YES; one that is there stays. Errors:
   * `chain_unavailable`, `chain_reverted`.
   */
  make(market: VenueMarket, yesPrice: number): Promise<void>;
  /** Trades at any price. Errors: `chain_unavailable`, `chain_reverted`. */
  trade(pool: Hex, trade: PoolTrade): Promise<TransactionReceipt>;
  /** What the account has of a market's YES and NO, micros. */
  shares(market: VenueMarket): Promise<readonly [bigint, bigint]>;
}

const { usdc, conditionalTokens } = VENUE_C_CHAIN;

/** Opens the account: coins, dollars and the factory's allowance are its own already or come. */
export async function openPoolAccount(chain: LocalChain): Promise<PoolAccount> {
  const { client } = chain.node;
  const account = chainAccount(chain.seed, 'maker:amm');
  const sender = createEvmSender(client, account);
  const factory = poolFactory().address;
  /** Pools that may take what the account has. */
  const allowed = new Set<Hex>();
  await allowDollars(chain, sender, factory);

  async function allow(pool: Hex): Promise<void> {
    if (allowed.has(pool)) return;
    await allowDollars(chain, sender, pool);
    await sender.send({
      to: conditionalTokens,
      data: encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'setApprovalForAll',
        args: [pool, true],
      }),
    });
    allowed.add(pool);
  }

  const addressOf = ({ conditionId }: VenueMarket): Hex =>
    poolAddress(factory, account.address, conditionId as Hex); // outcome-ids.ts made it: a hash
  return {
    address: account.address,
    addressOf,
    async make(market, yesPrice) {
      if (await hasCode(chain.node, addressOf(market))) return;
      await prepareCondition(chain, market);
      // the odds against each outcome: what is scarce in a pool is dear
      const yesParts = Math.round(yesPrice * POOL_AMM.hintParts);
      await sender.send({
        to: factory,
        data: encodeFunctionData({
          abi: POOL_FACTORY_ABI,
          functionName: 'create2FixedProductMarketMaker',
          args: [
            0n,
            conditionalTokens,
            usdc,
            [market.conditionId as Hex],
            POOL_FEE_E18,
            POOL_AMM.fundMicros,
            [BigInt(POOL_AMM.hintParts - yesParts), BigInt(yesParts)],
          ],
        }),
      });
    },
    async trade(pool, { side, outcome, dollars }) {
      await allow(pool);
      const data =
        side === 'buy'
          ? encodeFunctionData({
              abi: POOL_ABI,
              functionName: 'buy',
              args: [dollars, BigInt(outcome), 0n],
            })
          : encodeFunctionData({
              abi: POOL_ABI,
              functionName: 'sell',
              args: [dollars, BigInt(outcome), maxUint256],
            });
      return sender.send({ to: pool, data });
    },
    async shares({ tokens }) {
      const [yes = 0n, no = 0n] = await client.readContract({
        address: conditionalTokens,
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'balanceOfBatch',
        args: [
          [account.address, account.address],
          [BigInt(tokens[0]), BigInt(tokens[1])],
        ],
      });
      return [yes, no];
    },
  };
}

/** Lets a contract take the account's dollars; gives it coins and dollars where it has few. */
async function allowDollars(chain: LocalChain, sender: EvmSender, spender: Hex): Promise<void> {
  const token = { address: usdc, abi: TOKEN_ABI } as const;
  const { client } = chain.node;
  const [allowance, dollars] = await Promise.all([
    client.readContract({
      ...token,
      functionName: 'allowance',
      args: [sender.address, spender],
    }),
    client.readContract({ ...token, functionName: 'balanceOf', args: [sender.address] }),
  ]);
  if (dollars < CHAIN_VENUE.makerMicros / 2n) {
    await setNativeBalance(chain.node, sender.address, LOCAL_CHAIN.accountWei);
    await chain.sender('deployer').send({
      to: usdc,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'mint',
        args: [sender.address, CHAIN_VENUE.makerMicros],
      }),
    });
  }
  if (allowance > maxUint256 / 2n) return;
  await sender.send({
    to: usdc,
    data: encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'approve',
      args: [spender, maxUint256],
    }),
  });
}
