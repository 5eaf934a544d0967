import {
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  maxUint256,
  zeroHash,
} from 'viem';
import type { Hex, PrivateKeyAccount, TransactionReceipt } from 'viem';
import { VENUE_A_CHAIN } from '../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { chainAccount } from '../../../src/sandbox/chains/evm/chain-keys.ts';
import {
  CONDITIONAL_TOKENS_ABI,
  TOKEN_ABI,
} from '../../../src/sandbox/chains/evm/contract-abis.ts';
import { createEvmSender } from '../../../src/sandbox/chains/evm/evm-sender.ts';
import type {
  ChainOrder,
  MatchPart,
} from '../../../src/sandbox/venues/venue-a/chain/exchange-orders.ts';
import { setNativeBalance } from '../../../src/sandbox/chains/evm/local-chain.ts';
import type { ChainStand } from './relayer-stand.ts';
import { startChainStand } from './relayer-stand.ts';
import {
  signChainOrder,
  EXCHANGE_ABI,
} from '../../../src/sandbox/venues/venue-a/chain/exchange-orders.ts';

/** What everybody starts with, of collateral and of each outcome token. */
export const START_MICROS = 1_000_000_000_000n;

/** A wish in the venue's words: shares in micros, price in ticks of 0.0001. */
export interface Wish {
  readonly side: 'buy' | 'sell';
  readonly outcome: 0 | 1;
  readonly shares: bigint;
  readonly price: bigint;
}

/** A chain with one condition to trade and people who trade it. */
export interface ExchangeStand extends ChainStand {
  readonly tokens: readonly [bigint, bigint];
  readonly conditionId: Hex;
  /** Somebody with collateral, shares and allowances for the exchange; the same name is the same account. */
  trader(name: string): Promise<PrivateKeyAccount>;
  /** Lets the exchange move what an account holds. */
  approve(account: PrivateKeyAccount, exchange?: Hex): Promise<void>;
  shares(owner: Hex, outcome: 0 | 1): Promise<bigint>;
  /** Name of the error the match would fail with; null when it would go through. */
  refusal(
    taker: MatchPart,
    makers: readonly MatchPart[],
    fee?: bigint,
    from?: Hex,
  ): Promise<string | null>;
  /** Has the operator settle a match. */
  settle(
    taker: MatchPart,
    makers: readonly MatchPart[],
    fee?: bigint,
    exchange?: Hex,
  ): Promise<TransactionReceipt>;
}

/** Amounts an order of this wish states; exact where shares × price is whole. */
export function amountsOf({ side, shares, price }: Wish): {
  readonly makerAmount: bigint;
  readonly takerAmount: bigint;
} {
  const money = (shares * price) / 10_000n;
  return side === 'buy'
    ? { makerAmount: money, takerAmount: shares }
    : { makerAmount: shares, takerAmount: money };
}

let salts = 0n;

/** An order of an account of its own, signed, with all of it to be filled. */
export async function signedPart(
  stand: Pick<ExchangeStand, 'tokens'>,
  account: PrivateKeyAccount,
  wish: Wish,
  changes: Partial<ChainOrder> = {},
  exchange?: Hex,
): Promise<MatchPart> {
  salts += 1n;
  const order: ChainOrder = {
    salt: salts,
    maker: account.address,
    signer: account.address,
    tokenId: stand.tokens[wish.outcome],
    ...amountsOf(wish),
    side: wish.side === 'buy' ? 0 : 1,
    signatureType: 0,
    timestamp: 1_780_000_000_000n,
    metadata: zeroHash,
    builder: zeroHash,
    ...changes,
  };
  return {
    order,
    signature: await signChainOrder(account, order, exchange),
    fill: order.makerAmount,
  };
}

/** Starts the venue's chain with a condition listed on both exchanges. */
export async function startExchangeStand(): Promise<ExchangeStand> {
  const stand = await startChainStand();
  const { chain, node } = stand;
  const { conditionalTokens: ctf, collateral, exchange, negRiskExchange } = VENUE_A_CHAIN;
  const oracle = chain.sender('oracle');
  const questionId = `0x${'5e'.repeat(32)}` as const;
  await oracle.send({
    to: ctf,
    data: encodeFunctionData({
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'prepareCondition',
      args: [oracle.address, questionId, 2n],
    }),
  });
  const conditionId = await node.client.readContract({
    address: ctf,
    abi: CONDITIONAL_TOKENS_ABI,
    functionName: 'getConditionId',
    args: [oracle.address, questionId, 2n],
  });
  for (const to of [exchange, negRiskExchange])
    await oracle.send({
      to,
      data: encodeFunctionData({
        abi: EXCHANGE_ABI,
        functionName: 'listPair',
        args: [conditionId],
      }),
    });
  const idOf = async (indexSet: bigint): Promise<bigint> => {
    const collection = await node.client.readContract({
      address: ctf,
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'getCollectionId',
      args: [zeroHash, conditionId, indexSet],
    });
    return node.client.readContract({
      address: ctf,
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'getPositionId',
      args: [collateral, collection],
    });
  };
  const tokens = [await idOf(1n), await idOf(2n)] as const;
  const traders = new Map<string, Promise<PrivateKeyAccount>>();

  async function approve(account: PrivateKeyAccount, to: Hex = exchange): Promise<void> {
    await setNativeBalance(node, account.address, 10n ** 24n);
    const sender = createEvmSender(node.client, account);
    await sender.send({
      to: collateral,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [to, maxUint256] }),
    });
    await sender.send({
      to: ctf,
      data: encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'setApprovalForAll',
        args: [to, true],
      }),
    });
  }

  async function makeTrader(name: string): Promise<PrivateKeyAccount> {
    const account = chainAccount(7, `house:test ${name}`);
    await approve(account);
    await approve(account, negRiskExchange);
    await stand.mint(account.address, 2n * START_MICROS);
    const sender = createEvmSender(node.client, account);
    await sender.send({
      to: collateral,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'approve',
        args: [ctf, maxUint256],
      }),
    });
    await sender.send({
      to: ctf,
      data: encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'splitPosition',
        args: [collateral, zeroHash, conditionId, [1n, 2n], START_MICROS],
      }),
    });
    return account;
  }

  const data = (taker: MatchPart, makers: readonly MatchPart[], fee: bigint): Hex =>
    encodeFunctionData({
      abi: EXCHANGE_ABI,
      functionName: 'matchOrders',
      args: [taker, [...makers], fee],
    });
  return {
    ...stand,
    tokens,
    conditionId,
    approve,
    trader(name) {
      const made = traders.get(name) ?? makeTrader(name);
      traders.set(name, made);
      return made;
    },
    shares: (owner, outcome) =>
      node.client.readContract({
        address: ctf,
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'balanceOf',
        args: [owner, tokens[outcome]],
      }),
    async refusal(taker, makers, fee = 0n, from = chain.sender('operator').address) {
      try {
        await node.client.simulateContract({
          account: from,
          address: exchange,
          abi: EXCHANGE_ABI,
          functionName: 'matchOrders',
          args: [taker, [...makers], fee],
          gas: 20_000_000n,
        });
        return null;
      } catch (error) {
        const reverted =
          error instanceof BaseError
            ? error.walk((step) => step instanceof ContractFunctionRevertedError)
            : null;
        if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
        return reverted.data?.errorName ?? reverted.signature ?? reverted.reason ?? 'unknown';
      }
    },
    settle: (taker, makers, fee = 0n, to = exchange) =>
      chain.sender('operator').send({ to, data: data(taker, makers, fee) }),
  };
}
