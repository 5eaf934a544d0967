import { getAddress, zeroAddress, type Hex, type Log } from 'viem';
import { CHAIN_VENUE } from '../../../../../config/limits/sandbox-chains.ts';
import { asId, type Address, type TokenId } from '../../../../domain/ids.ts';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import { CONDITIONAL_TOKENS_ABI, TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import { NO_END, SPENDERS } from '../../../engine/allowances.ts';
import type { ChainBalance, ChainMovement } from '../../../engine/settler.ts';
import type { ChainAllowance } from './chain-allowances.ts';
import type { DeployedChain } from '../../../chains/evm/deploy-chain.ts';
import {
  approvalsIn,
  operatorsIn,
  transfersIn,
  type GivenTo,
  type Transfer,
} from './ledger-logs.ts';

/** What some blocks say about users' collateral and shares, as of the last of them. */
export interface BlockSpan {
  readonly head: number;
  /** Transactions that touched collateral or shares, and their blocks. */
  readonly transactions: ReadonlyMap<string, number>;
  readonly balances: readonly ChainBalance[];
  readonly movements: readonly ChainMovement[];
  /** Of accounts that gave or took back an allowance, or used up some of one that has an end. */
  readonly allowances: readonly ChainAllowance[];
  /** Nothing read before counts any more: the first span, or the first after a reorganisation. */
  readonly isAnew: boolean;
}

const {
  collateral,
  conditionalTokens,
  exchange,
  negRiskExchange,
  collateralAdapter,
  negRiskCollateralAdapter,
} = VENUE_A_CHAIN;
/** Where shares go when they are redeemed or merged, and collateral when it is split. */
const FRAMEWORK = new Set<string>([
  conditionalTokens,
  collateralAdapter,
  negRiskCollateralAdapter,
  zeroAddress,
]);
const EXCHANGES = new Set<string>(
  [exchange, negRiskExchange].map((address) => address.toLowerCase()),
);

/** An account and what it has or had: collateral, or shares of a token. */
interface Held {
  readonly account: string;
  readonly holding: string;
}

/** Of whom a ledger is. */
export interface LedgerAccounts {
  /** The venue's own, which are no users'. */
  readonly strangers: readonly Hex[];
  /**
   * What accounts on the chain had when last heard of; the chain is asked anew where it has to be.
   */
  known(): readonly Held[];
}

/**
 * Reads from the chain, span by span, who came to have what. It keeps nothing over a restart: the
 * first span is what blocks there are, which need not be all there ever were, and what is known.
 */
export class ChainLedger {
  readonly #chain: DeployedChain;
  readonly #strangers: ReadonlySet<string>;
  readonly #knownHoldings: LedgerAccounts['known'];
  /** Accounts whose allowances were all asked for. */
  readonly #asked = new Set<string>();
  /** Allowances of collateral with an end: they fall with every transfer. */
  readonly #ending = new Map<string, GivenTo>();
  #last: { readonly number: number; readonly hash: string } | null = null;

  constructor(chain: DeployedChain, { strangers, known }: LedgerAccounts) {
    this.#chain = chain;
    this.#knownHoldings = known;
    this.#strangers = new Set(
      [
        ...Object.values(VENUE_A_CHAIN).filter((value) => typeof value === 'string'),
        ...strangers,
        zeroAddress,
      ].map((address) => getAddress(address)),
    );
  }

  /** The newest block read; -1 before the first. */
  get head(): number {
    return this.#last?.number ?? -1;
  }

  /**
   * Reads what is new; null when nothing is. Errors: those of the node; nothing is then taken as
   * read.
   */
  async read(): Promise<BlockSpan | null> {
    const { client } = this.#chain.node;
    const newest = await client.getBlock();
    const head = Number(newest.number);
    if (this.#last?.number === head && this.#last.hash === newest.hash) return null;
    const isAnew = this.#last === null || !(await this.#isStill(this.#last));
    const fromBlock = BigInt(isAnew ? 0 : (this.#last?.number ?? -1) + 1);
    const logs = await client.getLogs({
      address: [collateral, conditionalTokens, exchange, negRiskExchange],
      fromBlock,
      toBlock: newest.number,
    });
    const transfers = transfersIn(logs);
    const touched = this.#touched(transfers, isAnew);
    const balances = await this.#balances(touched, newest.number);
    const allowances = await this.#allowances(logs, {
      transfers,
      touched,
      isAnew,
      blockNumber: newest.number,
    });
    const matched = new Set(
      logs
        .filter(({ address }) => EXCHANGES.has(address.toLowerCase()))
        .map(({ transactionHash }) => String(transactionHash)),
    );
    this.#last = { number: head, hash: newest.hash };
    return {
      head,
      isAnew,
      balances,
      allowances,
      transactions: new Map(
        logs.map(({ transactionHash, blockNumber }) => [
          String(transactionHash),
          Number(blockNumber),
        ]),
      ),
      movements: this.#movements(
        transfers.filter(({ transactionHash }) => !matched.has(transactionHash)),
      ),
    };
  }

  async #isStill({
    number,
    hash,
  }: {
    readonly number: number;
    readonly hash: string;
  }): Promise<boolean> {
    const block = await this.#chain.node.client
      .getBlock({ blockNumber: BigInt(number) })
      .catch(() => null);
    return block?.hash === hash;
  }

  #touched(transfers: readonly Transfer[], isAnew: boolean): readonly Held[] {
    const moved = transfers.flatMap(({ from, to, holding }) =>
      [from, to].map((account): Held => ({ account, holding })),
    );
    const held = [...moved, ...(isAnew ? this.#knownHoldings() : [])].filter(
      ({ account }) => !this.#strangers.has(account),
    );
    return [...new Map(held.map((each) => [`${each.account} ${each.holding}`, each])).values()];
  }

  async #balances(touched: readonly Held[], blockNumber: bigint): Promise<readonly ChainBalance[]> {
    const { client } = this.#chain.node;
    const micros = await this.#eachOf(touched, ({ account, holding }) =>
      holding === 'usdc'
        ? client.readContract({
            address: collateral,
            abi: TOKEN_ABI,
            functionName: 'balanceOf',
            args: [account as Hex],
            blockNumber,
          })
        : client.readContract({
            address: conditionalTokens,
            abi: CONDITIONAL_TOKENS_ABI,
            functionName: 'balanceOf',
            args: [account as Hex, BigInt(holding)],
            blockNumber,
          }),
    ); // an account that lives on the chain is an address
    return touched.map(({ account, holding }, index) => ({
      account,
      holding: holding === 'usdc' ? holding : asId<TokenId>(holding),
      micros: Number(micros[index] ?? 0n),
    }));
  }

  /** Asks for each of many, some at a time. */
  async #eachOf<T, R>(all: readonly T[], ask: (one: T) => Promise<R>): Promise<readonly R[]> {
    const found: R[] = [];
    for (let at = 0; at < all.length; at += CHAIN_VENUE.balancesPerCall)
      found.push(...(await Promise.all(all.slice(at, at + CHAIN_VENUE.balancesPerCall).map(ask))));
    return found;
  }

  /**
   * Collateral's are asked for, as a transfer that uses some up does not say so; of shares all or
   * nothing is given, and the newest event counts. Of an account that was not seen before all are
   * asked for: the blocks that tell of them may be gone.
   */
  async #allowances(
    logs: readonly Log[],
    {
      transfers,
      touched,
      isAnew,
      blockNumber,
    }: {
      readonly transfers: readonly Transfer[];
      readonly touched: readonly Held[];
      readonly isAnew: boolean;
      readonly blockNumber: bigint;
    },
  ): Promise<readonly ChainAllowance[]> {
    if (isAnew) for (const known of [this.#ending, this.#asked]) known.clear();
    const isOurs = ({ account, spender }: GivenTo) =>
      SPENDERS.includes(spender) && !this.#strangers.has(account);
    const payers = new Set<string>(
      transfers.filter(({ holding }) => holding === 'usdc').map(({ from }) => from),
    );
    const fresh = [...new Set(touched.map(({ account }) => account))]
      .filter((account) => !this.#asked.has(account))
      .flatMap((account) =>
        SPENDERS.map((spender): GivenTo => ({ account: asId<Address>(account), spender })),
      );
    const asked = new Map(
      [
        ...approvalsIn(logs).filter(isOurs),
        ...[...this.#ending.values()].filter(({ account }) => payers.has(account)),
        ...fresh,
      ].map((each) => [`${each.account} ${each.spender}`, each]),
    );
    const wanted = [...asked.values()];
    const micros = await this.#eachOf(wanted, (each) => this.#allowance(each, blockNumber));
    const areOperators = await this.#eachOf(fresh, (each) => this.#isOperator(each, blockNumber));
    const found = wanted.map((each, index) => ({
      ...each,
      asset: 'collateral' as const,
      micros: micros[index] ?? 0n,
    }));
    for (const { account, spender, micros: left } of found) {
      if (left === 0n || left === NO_END) this.#ending.delete(`${account} ${spender}`);
      else this.#ending.set(`${account} ${spender}`, { account, spender });
    }
    for (const { account } of fresh) this.#asked.add(account);
    return [
      ...found,
      ...operatorsIn(logs).filter(isOurs),
      ...fresh.map((each, index) => ({
        ...each,
        asset: 'shares' as const,
        micros: areOperators[index] === true ? NO_END : 0n,
      })),
    ];
  }

  #allowance({ account, spender }: GivenTo, blockNumber: bigint): Promise<bigint> {
    return this.#chain.node.client.readContract({
      address: collateral,
      abi: TOKEN_ABI,
      functionName: 'allowance',
      args: [account as string as Hex, spender as string as Hex],
      blockNumber,
    }); // an Address is 0x hex
  }

  #isOperator({ account, spender }: GivenTo, blockNumber: bigint): Promise<boolean> {
    return this.#chain.node.client.readContract({
      address: conditionalTokens,
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'isApprovedForAll',
      args: [account as string as Hex, spender as string as Hex],
      blockNumber,
    }); // an Address is 0x hex
  }

  /** Deposits, withdrawals and redemptions: one a transaction, account and token. */
  #movements(transfers: readonly Transfer[]): readonly ChainMovement[] {
    const found = new Map<string, ChainMovement>();
    const add = (movement: ChainMovement): void => {
      const key = `${movement.transactionHash} ${movement.account} ${movement.tokenId ?? movement.kind}`;
      const known = found.get(key);
      found.set(
        key,
        known === undefined
          ? movement
          : {
              ...known,
              usdcMicros: known.usdcMicros + movement.usdcMicros,
              sharesMicros: known.sharesMicros + movement.sharesMicros,
            },
      );
    };
    for (const { from, to, holding, micros, transactionHash } of transfers) {
      const [isFromUser, isToUser, amount] = [
        !this.#strangers.has(from),
        !this.#strangers.has(to),
        Number(micros),
      ];
      if (holding !== 'usdc') {
        if (isFromUser && FRAMEWORK.has(to))
          add({
            kind: 'REDEEM',
            account: from,
            usdcMicros: 0,
            sharesMicros: amount,
            tokenId: holding,
            transactionHash,
          });
        continue;
      }
      // Collateral is minted out of nothing by the faucet and the ramp; the framework pays back
      // what it was given.
      if (isToUser && (from === zeroAddress || !FRAMEWORK.has(from)))
        add({
          kind: 'DEPOSIT',
          account: to,
          usdcMicros: amount,
          sharesMicros: 0,
          tokenId: null,
          transactionHash,
        });
      if (isFromUser && (to === zeroAddress || !FRAMEWORK.has(to)))
        add({
          kind: 'WITHDRAWAL',
          account: from,
          usdcMicros: amount,
          sharesMicros: 0,
          tokenId: null,
          transactionHash,
        });
    }
    return [...found.values()];
  }
}
