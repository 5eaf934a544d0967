import { getAddress, parseEventLogs, type Hex } from 'viem';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { POLYGON_MONEY } from '../../../config/profiles/venue-a-contracts.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { isGivenUp } from '../../../src/domain/transaction.ts';
import { moneyContracts } from '../../../src/app/funds.ts';
import { VENUE_A_CHAIN } from '../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import {
  CONDITIONAL_TOKENS_ABI,
  SAFE_ABI,
  TOKEN_ABI,
} from '../../../src/sandbox/chains/evm/contract-abis.ts';
import type { EvmClient } from '../../../src/sandbox/chains/evm/evm-client.ts';
import type { ExchangeMarket } from '../../../src/sandbox/engine/exchange-types.ts';
import { DEPOSIT_ADDRESSES } from '../../../src/services/funding/deposit-addresses.ts';
import {
  DEPOSIT_RECORDS,
  OPEN_DEPOSITS,
  REDEMPTIONS,
} from '../../../src/services/funding/tables.ts';
import { USERS } from '../../../src/services/sign-in/tables.ts';
import {
  BALANCES,
  FILLS,
  OPEN_FILLS,
  OPEN_ORDERS,
  OPEN_POSITIONS,
  ORDERS,
  POSITIONS,
} from '../../../src/services/books/tables.ts';
import { OPEN_TRANSACTIONS, TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { SAFES } from '../../../src/services/wallets/tables.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';
import type { MoneyEnvironment } from './money-environment.ts';

const { collateral, conditionalTokens } = VENUE_A_CHAIN;
const CONTRACTS = moneyContracts(POLYGON_CHAIN, POLYGON_MONEY);

/**
 * What the chains have of one person: the Safe, what it allows, balances, and the transactions that
 * touched it, in order.
 */
export async function onChain(
  { polygon, base }: MoneyEnvironment,
  { tokens }: ExchangeMarket,
  wallets: { readonly evm: string; readonly safe: string },
): Promise<unknown> {
  const [safe, evm] = [getAddress(wallets.safe), getAddress(wallets.evm)];
  const balanceOf = (owner: Hex, token: Hex = collateral) =>
    polygon.readContract({
      address: token,
      abi: TOKEN_ABI,
      functionName: 'balanceOf',
      args: [owner],
    });
  const shares = await Promise.all(
    tokens.map((token) =>
      polygon.readContract({
        address: conditionalTokens,
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'balanceOf',
        args: [safe, BigInt(token)],
      }),
    ),
  );
  return {
    safe: {
      nonce: await polygon.readContract({ address: safe, abi: SAFE_ABI, functionName: 'nonce' }),
      owners: (
        await polygon.readContract({ address: safe, abi: SAFE_ABI, functionName: 'getOwners' })
      ).map((owner) => (owner === evm ? 'the EVM wallet' : owner)),
    },
    allowances: await Promise.all(
      CONTRACTS.allowances.map((allowance) => standing(polygon, safe, allowance)),
    ),
    balances: {
      safe: await balanceOf(safe),
      evm: await balanceOf(evm, VENUE_A_CHAIN.usdc),
      shares,
    },
    native: await Promise.all(
      [polygon, base].flatMap((chain) =>
        [safe, evm].map((address) => chain.getBalance({ address })),
      ),
    ),
    transactions: await transactionsOf(polygon, { safe, evm }),
    ownTransactions: await Promise.all(
      [polygon, base].map((chain) => chain.getTransactionCount({ address: evm })),
    ),
  };
}

type Allowance = (typeof CONTRACTS.allowances)[number];

async function standing(
  polygon: EvmClient,
  safe: Hex,
  allowance: Allowance,
): Promise<bigint | boolean> {
  const address = getAddress(allowance.token);
  return allowance.kind === 'erc20'
    ? polygon.readContract({
        address,
        abi: TOKEN_ABI,
        functionName: 'allowance',
        args: [safe, getAddress(allowance.spender)],
      })
    : polygon.readContract({
        address,
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'isApprovedForAll',
        args: [safe, getAddress(allowance.operator)],
      });
}

/**
 * Every transaction that made or moved the Safe, as the events it left. In no order: a deposit may
 * come while the Safe is made.
 */
async function transactionsOf(
  polygon: EvmClient,
  { safe, evm }: { readonly safe: Hex; readonly evm: Hex },
): Promise<unknown> {
  const names = new Map<string, string>([
    [safe, 'safe'],
    [evm, 'owner'],
    [getAddress(collateral), 'collateral'],
    [getAddress(conditionalTokens), 'shares'],
    [getAddress(VENUE_A_CHAIN.exchange), 'exchange'],
  ]);
  const nameOf = (address: Hex) => names.get(getAddress(address)) ?? 'another';
  const topic: Hex = `0x${safe.slice(2).toLowerCase().padStart(64, '0')}`;
  const logs = (await polygon.getLogs({ fromBlock: 0n })).filter(
    ({ address, topics }) =>
      getAddress(address) === safe || [...topics].some((each) => each === topic),
  );
  const reported = (log: (typeof logs)[number]): string => {
    const [transfer] = parseEventLogs({ abi: TOKEN_ABI, eventName: 'Transfer', logs: [log] });
    if (transfer !== undefined)
      return `${nameOf(transfer.address)} ${nameOf(transfer.args.from)}->${nameOf(transfer.args.to)} ${transfer.args.value}`;
    return `${nameOf(log.address)} ${log.topics[0] ?? ''}`;
  };
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
  return hashes
    .map((hash) =>
      logs
        .filter(({ transactionHash }) => transactionHash === hash)
        .map(reported)
        .join(', '),
    )
    .sort();
}

/** What is in the store once no process runs. */
export async function atRest(path: string): Promise<unknown> {
  const store = await openLmdbStore({ path });
  try {
    const [user, ...others] = store.range(USERS).map(({ value }) => value);
    if (user === undefined) throw new Error('the day has made no user');
    const { userId, username, venueAccounts } = user;
    const journal = store.readJournal(0, 1_000_000);
    const audits = journal.flatMap(({ event }) =>
      event.type === 'audit.recorded' ? [event.action] : [],
    );
    return {
      user: {
        others: others.length,
        username,
        venueAccounts,
        isAddressed: store.get(DEPOSIT_ADDRESSES, [userId]) !== null,
      },
      safe: { ...store.get(SAFES, [userId])?.value, safe: null, updatedAtMs: null },
      actions: store
        .range(TRANSACTIONS)
        .map(({ value: { purpose, state, attempts, transactionHash } }) => ({
          kind: purpose.kind,
          state,
          isGivenUp: isGivenUp({ attempts }),
          isProven: transactionHash !== null,
        }))
        .sort((one, other) => (one.kind < other.kind ? -1 : 1)),
      deposits: store
        .range(DEPOSIT_RECORDS)
        .map(({ value: { state, problem } }) => ({ state, problem })),
      orders: store
        .range(ORDERS)
        .map(({ value: { intent, state, filledShares, filledUsdc, feesUsdc, reserved } }) => ({
          side: intent.side,
          state,
          filledShares,
          filledUsdc,
          feesUsdc,
          reserved,
        })),
      fills: store.range(FILLS).map(({ value: { side, shares, usdc, fee, settlement } }) => ({
        side,
        shares,
        usdc,
        fee,
        settlement,
      })),
      positions: store
        .range(POSITIONS)
        .map(({ value: { outcome, state, shares, costUsdc, realizedPnl } }) => ({
          outcome,
          state,
          shares,
          costUsdc,
          realizedPnl,
        })),
      balances: store.range(BALANCES).map(({ key, value }) => ({
        owner: String(key[0]).replaceAll(userId, 'user').replace(/0x\w+/g, 'market'),
        asset: key[1] === 'usdc:safe' ? 'usdc' : 'shares',
        value,
      })),
      ledger: journal.flatMap(({ event }) =>
        event.type === 'ledger.posted' ? [event.entry.kind] : [],
      ),
      inMotion: [
        store.range(OPEN_TRANSACTIONS),
        store.range(OPEN_ORDERS),
        store.range(OPEN_FILLS),
        store.range(OPEN_POSITIONS),
        store.range(OPEN_DEPOSITS),
        store.range(REDEMPTIONS),
      ].map(({ length }) => length),
      // A sign-in whose answer was lost was one all the same: each leaves its line.
      audit: audits.filter((action) => action !== 'signed_in' && action !== 'username_set').sort(),
      signIns: [...new Set(audits)].includes('signed_in'),
      brokenLaws: brokenLaws(store, userId),
      journalHoles: journal.filter(({ seq }, index) => seq !== index + 1).length,
    };
  } finally {
    await store.close();
  }
}

/** Lines of the log that tell of errors. */
export function errorsIn(log: string): readonly string[] {
  return log.split('\n').filter((line) => line.includes('"level":"error"'));
}
