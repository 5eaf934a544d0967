import { createHash } from 'node:crypto';
import { address, isAddress, lamports, type Address, type EncodedAccount } from '@solana/kit';
import { SWAP_CHAIN } from '../../../config/limits/sandbox-chains.ts';
import {
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  USDC_MINT,
} from '../chains/solana/addresses.ts';
import { computeBudget, ensureTokenAccount, memo } from '../chains/solana/instructions.ts';
import { solanaKey } from '../chains/solana/keys.ts';
import { programAccount } from '../chains/solana/program-account.ts';
import type { ChainFounding, SolanaRpc } from '../chains/solana/solana-rpc.ts';
import { mintData, readTokenData } from '../chains/solana/token-layout.ts';
import { executeAs, tokenChange, transactionBytes } from '../chains/solana/transactions.ts';
import { readWireTransaction } from '../chains/solana/wire-transaction.ts';
import type { TokenMarket } from '../tokens/token-market.ts';
import { SANDBOX_TOKENS, type SandboxToken } from '../tokens/token-table.ts';
import across from './programs/across.json' with { type: 'json' };
import exchange from './programs/exchange.json' with { type: 'json' };
import {
  ACROSS,
  addressFrom,
  bytesOf,
  closeHolding,
  countWrapped,
  deposit,
  EXCHANGE,
  holdingOf,
  makeTokens,
  payLamports,
  payTokens,
  poolAuthority,
  readDeposit,
  readRoute,
  route,
  type Hop,
} from './solana-instructions.ts';
import { unitsOf, wholeOf } from './swap-chain.ts';

/** What a mint costs that is there from the start. */
const MINT_LAMPORTS = 1_461_600n;
const WRAPPED = address('So11111111111111111111111111111111111111112');
/** What represents SOL at the router: the address of the system program. */
const COIN: string = SYSTEM_PROGRAM;
/** Pays out what is bridged, and fills pools; worth nothing anywhere else. */
const PAYER = solanaKey('router payer');

/** What was taken in on Solana for another chain. */
interface SolanaDeposit {
  /** 32 bytes in hex, made of the transaction that took it in. */
  readonly id: string;
  readonly sender: string;
  /** The coin, or a mint. */
  readonly token: string;
  readonly amount: bigint;
  readonly destinationChainId: number;
  /** 32 bytes each. */
  readonly recipient: Uint8Array;
  readonly outputToken: Uint8Array;
  readonly minimum: bigint;
}

/** What else became of a transaction. */
type SolanaOutcome =
  | { readonly kind: 'failed' | 'other' }
  | { readonly kind: 'swapped'; readonly token: string; readonly amount: bigint };

/** What was paid out on Solana under an id. */
interface SolanaPayment {
  readonly signature: string;
  readonly token: string;
  readonly receiver: string;
  readonly amount: bigint;
}

/** What a user wants to do with what they have on Solana. */
interface SolanaOrder {
  readonly sender: string;
  readonly token: string;
  readonly amount: bigint;
}

/** The router's side on Solana: pools, deposits of its bridge, and what it pays out there. */
export interface SolanaSide {
  /** What the pools would give; null where none leads from one token to the other. */
  swapOut(from: SandboxToken, to: SandboxToken, amount: bigint): bigint | null;
  /** Returns a swap, unsigned, base64. */
  swap(
    order: SolanaOrder,
    target: {
      readonly from: SandboxToken;
      readonly to: SandboxToken;
      readonly token: string;
      readonly quoted: bigint;
      readonly slippageBps: number;
    },
  ): string;
  /** Returns a deposit for another chain, unsigned, base64. */
  bridge(
    order: SolanaOrder,
    target: {
      readonly chainId: number;
      /** 32 bytes each. */
      readonly recipient: Uint8Array;
      readonly token: Uint8Array;
      readonly minimum: bigint;
    },
  ): string;
  /** What became of a transaction; null for one that no block has. */
  outcome(signature: string): SolanaOutcome | SolanaDeposit | null;
  /** Null while nothing was paid out under an id. */
  paid(id: string): SolanaPayment | null;
  pay(payment: Omit<SolanaPayment, 'signature'> & { readonly id: string }): void;
}

/** Programs and tokens of the router on Solana. */
export function routerFounding(): ChainFounding {
  const mints = SANDBOX_TOKENS.filter(
    (token) => token.chain === 'SOLANA' && token.coinKey !== null && token.address !== USDC_MINT,
  ).map(({ address: mint, decimals }) => {
    const data = mintData(bytesOf(PAYER.address), decimals);
    // wrapped SOL is not made out of nothing
    if (mint === WRAPPED) data.fill(0, 0, 36);
    return accountAt(address(mint), MINT_LAMPORTS, { program: TOKEN_PROGRAM, data });
  });
  const payer = accountAt(PAYER.address, BigInt(SWAP_CHAIN.payerLamports), {
    program: SYSTEM_PROGRAM,
    data: new Uint8Array(),
  });
  return {
    programs: [programAccount(ACROSS, across), programAccount(EXCHANGE, exchange)],
    accounts: [...mints, payer],
  };
}

function accountAt(
  at: Address,
  balance: bigint,
  { program, data }: { readonly program: Address; readonly data: Uint8Array },
): EncodedAccount {
  return {
    address: at,
    executable: false,
    lamports: lamports(balance),
    programAddress: program,
    space: BigInt(data.length),
    data,
  };
}

/** Opens the side on a chain that was founded with `routerFounding`. */
export function openSolanaSide(
  { chain, faucet }: Pick<SolanaRpc, 'chain' | 'faucet'>,
  { market, second }: { readonly market: TokenMarket; readonly second: () => number },
): SolanaSide {
  const dollar = market.tokens.find(({ address: at }) => at === USDC_MINT);
  if (dollar === undefined) throw new Error('invariant broken: the table has the dollar');

  const held = (account: Address): bigint => {
    const data = chain.account(account)?.data ?? null;
    const read = data === null ? null : readTokenData(data);
    return read?.kind === 'account' ? read.amount : 0n;
  };

  /** Puts tokens into an owner's account, out of nothing. */
  function give(token: SandboxToken, owner: Address, amount: bigint): void {
    if (amount <= 0n) return;
    const mint = address(token.address);
    const ensured = ensureTokenAccount(PAYER.address, owner, { mint, program: TOKEN_PROGRAM });
    if (mint === USDC_MINT) {
      faucet.giveUsdc(owner, amount);
      return;
    }
    const account = holdingOf(owner, mint);
    executeAs(
      chain,
      [PAYER],
      mint === WRAPPED
        ? [ensured, payLamports(PAYER.address, account, amount), countWrapped(account)]
        : [ensured, makeTokens(mint, account, { authority: PAYER.address, amount })],
    );
  }

  /** Founds a token's pool, or moves it back to the price of the moment; it only ever deepens. */
  function repeg(token: SandboxToken): void {
    const authority = poolAuthority(address(token.address));
    const price = market.priceOf(token, second());
    const tokens = held(holdingOf(authority, address(token.address)));
    const dollars = held(holdingOf(authority, USDC_MINT));
    if (tokens === 0n || dollars === 0n) {
      const half = token.liquidityUsd / 2;
      give(dollar as SandboxToken, authority, unitsOf(half, dollar as SandboxToken));
      give(token, authority, unitsOf(half / price, token));
      return;
    }
    const shown = wholeOf(dollars, dollar as SandboxToken) / wholeOf(tokens, token);
    if (Math.abs(shown / price - 1) < SWAP_CHAIN.pegTolerance) return;
    if (shown < price)
      give(
        dollar as SandboxToken,
        authority,
        unitsOf(wholeOf(tokens, token) * price, dollar as SandboxToken) - dollars,
      );
    else
      give(
        token,
        authority,
        unitsOf(wholeOf(dollars, dollar as SandboxToken) / price, token) - tokens,
      );
  }

  const hopsOf = (from: SandboxToken, to: SandboxToken): readonly Hop[] =>
    [
      ...(from.address === USDC_MINT
        ? []
        : [{ pool: from.address, from: from.address, to: USDC_MINT }]),
      ...(to.address === USDC_MINT ? [] : [{ pool: to.address, from: USDC_MINT, to: to.address }]),
    ].map((hop) => ({ pool: address(hop.pool), from: address(hop.from), to: address(hop.to) }));

  /** Wraps what is sold where it is SOL. */
  const wrapped = (order: SolanaOrder) => {
    const sender = address(order.sender);
    const account = holdingOf(sender, WRAPPED);
    const ensured = ensureTokenAccount(sender, sender, { mint: WRAPPED, program: TOKEN_PROGRAM });
    return order.token === COIN
      ? {
          before: [ensured, payLamports(sender, account, order.amount), countWrapped(account)],
          after: [closeHolding(account, sender)],
        }
      : { before: [], after: [] };
  };

  const unsigned = (
    sender: string,
    instructions: Parameters<typeof transactionBytes>[0]['instructions'],
  ): string =>
    Buffer.from(
      transactionBytes({
        feePayer: address(sender),
        blockhash: chain.time.latestBlockhash('confirmed').blockhash,
        instructions: [...computeBudget(SWAP_CHAIN.computeUnits, 1_000), ...instructions],
        signers: [],
      }),
    ).toString('base64');

  function paid(id: string): SolanaPayment | null {
    for (const landed of chain.transactionsOf(PAYER.address)) {
      const note = landed.error === null ? noteOf(landed.base64) : null;
      if (note !== null && note.id === id) return { ...note, signature: landed.signature };
    }
    return null;
  }

  return {
    swapOut(from, to, amount) {
      const hops = hopsOf(from, to);
      if (hops.length === 0 || from === to) return null;
      for (const token of [from, to]) if (token !== dollar) repeg(token);
      return hops.reduce((sum, hop) => {
        const authority = poolAuthority(hop.pool);
        const [ins, outs] = [
          held(holdingOf(authority, hop.from)),
          held(holdingOf(authority, hop.to)),
        ];
        const counted = (sum * 997n) / 1_000n;
        return (outs * counted) / (ins + counted);
      }, amount);
    },
    swap(order, { from, to, token, quoted, slippageBps }) {
      const sender = address(order.sender);
      const { before, after } = wrapped(order);
      const mint = address(to.address);
      const target = holdingOf(sender, mint);
      return unsigned(order.sender, [
        ...before,
        ensureTokenAccount(sender, sender, { mint, program: TOKEN_PROGRAM }),
        route(sender, hopsOf(from, to), { amount: order.amount, quoted, slippageBps }),
        ...after,
        ...(token === COIN ? [closeHolding(target, sender)] : []),
      ]);
    },
    bridge(order, { chainId, recipient, token, minimum }) {
      const quotedAt = chain.time.unixSeconds();
      const { before, after } = wrapped(order);
      return unsigned(order.sender, [
        ...before,
        ...deposit({
          depositor: address(order.sender),
          recipient,
          inputToken: order.token === COIN ? WRAPPED : address(order.token),
          outputToken: token,
          inputAmount: order.amount,
          outputAmount: minimum,
          destinationChainId: chainId,
          quotedAt,
          deadline: quotedAt + SWAP_CHAIN.quoteLifeSeconds,
        }),
        ...after,
      ]);
    },
    outcome(signature) {
      const landed = chain.transaction(signature);
      if (landed === null || chain.commitmentOf(landed) === 'processed') return null;
      if (landed.error !== null) return { kind: 'failed' };
      const { message } = readWireTransaction(Buffer.from(landed.base64, 'base64'));
      for (const { programAddressIndex, accountIndices = [], data } of message.instructions) {
        const program = message.staticAccounts[programAddressIndex] ?? '';
        if (program === EXCHANGE) {
          const named = accountIndices.map((index) => landed.accountKeys[index] ?? '');
          const { mint, authority } = readRoute(named);
          return {
            kind: 'swapped',
            token: mint === WRAPPED ? COIN : mint,
            amount: BigInt(-tokenChange(landed, authority, mint)),
          };
        }
        const read = readDeposit(program, Buffer.from(data ?? []));
        if (read === null) continue;
        return {
          id: `0x${createHash('sha256').update(signature).digest('hex')}`,
          sender: landed.accountKeys[0] ?? '',
          token: read.inputToken === WRAPPED ? COIN : read.inputToken,
          amount: read.inputAmount,
          destinationChainId: read.destinationChainId,
          recipient: read.recipient,
          outputToken: read.outputToken,
          minimum: read.outputAmount,
        };
      }
      return { kind: 'other' };
    },
    paid,
    pay({ id, token, receiver, amount }) {
      // two who ask at once are one payment: nothing is awaited from here on
      if (paid(id) !== null) return;
      const to = address(receiver);
      const note = memo(`pay ${id} ${token} ${receiver} ${amount}`);
      if (token === COIN) {
        executeAs(chain, [PAYER], [payLamports(PAYER.address, to, amount), note]);
        return;
      }
      const listed = market.tokens.find(({ address: at }) => at === token);
      if (listed === undefined) return;
      give(listed, PAYER.address, amount);
      const mint = address(token);
      executeAs(
        chain,
        [PAYER],
        [
          ensureTokenAccount(PAYER.address, to, { mint, program: TOKEN_PROGRAM }),
          payTokens(holdingOf(PAYER.address, mint), holdingOf(to, mint), {
            owner: PAYER.address,
            amount,
          }),
          note,
        ],
      );
    },
  };
}

function noteOf(
  base64: string,
): (Omit<SolanaPayment, 'signature'> & { readonly id: string }) | null {
  const { message } = readWireTransaction(Buffer.from(base64, 'base64'));
  for (const { programAddressIndex, data } of message.instructions) {
    if (message.staticAccounts[programAddressIndex] !== MEMO_PROGRAM) continue;
    const [verb, id = '', token = '', receiver = '', amount = ''] = Buffer.from(data ?? [])
      .toString('utf8')
      .split(' ');
    if (verb === 'pay') return { id, token, receiver, amount: BigInt(amount) };
  }
  return null;
}

/** Reports whether a text is an address of Solana. */
export function isSolanaAddress(text: string): boolean {
  return isAddress(text);
}

/** The 32 bytes of an address of Solana, and back. */
export function solanaBytes(text: string): Uint8Array {
  return bytesOf(address(text));
}

/** The address that 32 bytes are on Solana. */
export function solanaText(bytes: Uint8Array): string {
  return addressFrom(bytes);
}
