import type { Address, Instruction } from '@solana/kit';
import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { assert } from '../../../../domain/errors.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, USDC_MINT } from '../../../chains/solana/addresses.ts';
import type { Executed, SolanaChain } from '../../../chains/solana/chain.ts';
import type { SolanaFaucet } from '../../../chains/solana/faucet.ts';
import { readTokenData } from '../../../chains/solana/token-layout.ts';
import type { FillPlan } from '../model/fill-plan.ts';
import type { Listing, OutcomeSide } from '../model/listing.ts';
import {
  accountOf,
  burnTokens,
  createSeededAccount,
  ensureTokenAccount,
  initializeMint,
  initializeTokenAccount,
  memo,
  MINT_BYTES,
  mintTokens,
  transferTokens,
  type Token,
} from '../../../chains/solana/instructions.ts';
import { solanaKey, type SolanaKey } from '../../../chains/solana/keys.ts';
import type { Rails } from './rails.ts';
import { executeAs } from '../../../chains/solana/transactions.ts';

/** The test USDC. */
export const USDC: Token = { mint: USDC_MINT, program: TOKEN_PROGRAM };
/** Micros of a contract. */
export const CONTRACT_MICROS = 1_000_000;

/** What backs a market's tokens, in micros. */
interface Backing {
  readonly vault: number;
  readonly yes: number;
  readonly no: number;
}

/** An order as it is closed: whose it is, what was paid in, and what of it is used. */
interface Close {
  readonly id: string;
  readonly user: Address;
  readonly listing: Listing;
  readonly side: OutcomeSide;
  readonly kind: 'buy' | 'sell' | 'redeem';
  /** Paid into escrow, micros of the input. */
  readonly amount: number;
  readonly plan: Pick<FillPlan, 'contracts' | 'costMicros' | 'feeMicros'>;
}

/** Moves tokens and money on the chain for the venue. */
export interface Settlement {
  /** Holds what orders have paid in, and makes the outcome tokens. */
  readonly router: SolanaKey;
  outcome(listing: Listing, side: OutcomeSide): Token;
  /** Whether the market's tokens are on the chain. */
  isMade(listing: Listing): boolean;
  /** Makes them, and the accounts of the venue for them, where they are not. */
  make(listing: Listing): void;
  /**
   * What makes the market's tokens at a payer's cost, with who must sign beside the payer; nothing
   * where they are there.
   */
  making(
    listing: Listing,
    payer: Address,
  ): {
    readonly instructions: readonly Instruction[];
    readonly signers: readonly SolanaKey[];
    readonly lamports: number;
  };
  /** Gives what was bought or sold, and what is left of the input back, in one transaction. */
  close(order: Close): Executed;
  /**
   * Gives up the market maker's winning tokens, once there is a result. Reports whether there were
   * any: a fork may drop what was done.
   */
  redeemOwn(listing: Listing, winner: OutcomeSide): boolean;
  backing(listing: Listing): Backing;
}

/**
 * Lamports that the first buy of a market leaves in its ledger: with them it costs about 0.02 SOL
 * as at the venue (venue_b.md section 6).
 */
const LEDGER_LAMPORTS = 17_000_000;
/** Bytes of an account of USDC. */
const TOKEN_ACCOUNT_BYTES = 165;

/** Returns the router's key of a sandbox. */
export function routerKey(seed: number): SolanaKey {
  return solanaKey(`contract router ${seed}`);
}

/** Creates the settlement of a sandbox; its own accounts are filled at the first start. */
export function createSettlement(
  { chain, faucet }: { readonly chain: SolanaChain; readonly faucet: SolanaFaucet },
  seed: number,
  rails: Rails,
): Settlement {
  const router = routerKey(seed);
  const maker = solanaKey(`contract market maker ${seed}`);
  const outcome = (listing: Listing, side: OutcomeSide): Token => ({
    mint: rails.of(listing).mints[side].address,
    program: TOKEN_2022_PROGRAM,
  });
  const execute = (...instructions: readonly Instruction[]): Executed =>
    executeAs(chain, [router, maker], instructions);
  const fillUp = (): void => {
    if (Number(chain.account(router.address)?.lamports ?? 0n) < CONTRACT_VENUE.routerLamports / 2)
      faucet.giveLamports(router.address, BigInt(CONTRACT_VENUE.routerLamports));
    if (tokensIn(chain, accountOf(maker.address, USDC)) < CONTRACT_VENUE.makerUsdcMicros / 2)
      faucet.giveUsdc(maker.address, BigInt(CONTRACT_VENUE.makerUsdcMicros));
    if (chain.account(accountOf(router.address, USDC)) === null)
      landed(execute(ensureTokenAccount(router.address, router.address, USDC)));
  };
  const isMade = (listing: Listing): boolean =>
    chain.account(rails.of(listing).mints.yes.address) !== null;
  const making: Settlement['making'] = (listing, payer) => {
    if (isMade(listing)) return { instructions: [], signers: [], lamports: 0 };
    const { ledger, mints } = rails.of(listing);
    const mintRent = chain.minimumBalance(MINT_BYTES);
    return {
      instructions: [
        createSeededAccount(payer, ledger, {
          lamports: LEDGER_LAMPORTS,
          bytes: TOKEN_ACCOUNT_BYTES,
        }),
        initializeTokenAccount(ledger.address, USDC, router.address),
        ...[mints.yes, mints.no].flatMap((mint) => [
          createSeededAccount(payer, mint, { lamports: mintRent, bytes: MINT_BYTES }),
          initializeMint({ mint: mint.address, program: mint.program }, router.address),
        ]),
      ],
      signers: [router],
      lamports: LEDGER_LAMPORTS + 2 * mintRent,
    };
  };
  const equip = (listing: Listing): void => {
    const wanted = [outcome(listing, 'yes'), outcome(listing, 'no')]
      .flatMap((token) => [router, maker].map(({ address }) => ({ address, token })))
      .filter(({ address, token }) => chain.account(accountOf(address, token)) === null);
    if (wanted.length > 0)
      landed(
        execute(
          ...wanted.map(({ address, token }) => ensureTokenAccount(router.address, address, token)),
        ),
      );
  };
  const backing = (listing: Listing): Backing => ({
    vault: tokensIn(chain, rails.of(listing).ledger.address),
    yes: supply(chain, outcome(listing, 'yes')),
    no: supply(chain, outcome(listing, 'no')),
  });
  const partiesOf = (listing: Listing, side: OutcomeSide): Parties => ({
    router: router.address,
    maker: maker.address,
    ledger: rails.of(listing).ledger.address,
    own: outcome(listing, side),
    other: outcome(listing, side === 'yes' ? 'no' : 'yes'),
  });
  fillUp();
  return {
    router,
    outcome,
    isMade,
    make(listing) {
      fillUp();
      const { instructions } = making(listing, router.address);
      if (instructions.length > 0) landed(execute(...instructions));
      equip(listing);
    },
    making,
    close(order) {
      fillUp();
      equip(order.listing);
      const executed = execute(...closing(order, partiesOf(order.listing, order.side)));
      const { vault, yes, no } = backing(order.listing);
      assert(
        order.kind === 'redeem' || vault >= Math.max(yes, no),
        `${order.listing.ticker} has less in its vault than tokens: ${vault} for ${yes} and ${no}`,
      );
      return executed;
    },
    redeemOwn(listing, winner) {
      const token = outcome(listing, winner);
      const amount = tokensIn(chain, accountOf(maker.address, token));
      if (amount === 0) return false;
      const { ledger } = rails.of(listing);
      landed(
        execute(
          burnTokens(token, maker.address, amount),
          transferTokens(USDC, {
            from: ledger.address,
            to: accountOf(maker.address, USDC),
            authority: router.address,
            amount,
          }),
        ),
      );
      return true;
    },
    backing,
  };
}

interface Parties {
  readonly router: Address;
  readonly maker: Address;
  readonly ledger: Address;
  readonly own: Token;
  readonly other: Token;
}

/**
 * Every contract is a pair: bought, a dollar of two goes into the vault; sold, it comes out and is
 * split; redeemed, it is the winner's.
 */
function closing(
  { user, kind, amount, plan, id }: Close,
  { router, maker, ledger, own, other }: Parties,
): readonly Instruction[] {
  const { costMicros, feeMicros } = plan;
  const tokens = plan.contracts * CONTRACT_MICROS;
  const move = (
    from: Address,
    to: Address,
    micros: number,
    authority = router,
  ): readonly Instruction[] =>
    micros === 0 ? [] : [transferTokens(USDC, { from, to, authority, amount: micros })];
  const [escrow, makers, users] = [router, maker, user].map((wallet) =>
    accountOf(wallet, USDC),
  ) as [Address, Address, Address]; // one for each
  const used = kind === 'buy' ? costMicros + feeMicros : tokens;
  const bought = (): readonly Instruction[] => [
    ...move(escrow, ledger, costMicros),
    ...move(makers, ledger, tokens - costMicros, maker),
    ...move(escrow, makers, feeMicros),
    mintTokens(own, { to: user, authority: router, amount: tokens }),
    mintTokens(other, { to: maker, authority: router, amount: tokens }),
  ];
  const sold = (): readonly Instruction[] => [
    burnTokens(own, router, tokens),
    burnTokens(other, maker, tokens),
    ...move(ledger, users, costMicros - feeMicros),
    ...move(ledger, makers, tokens - costMicros + feeMicros),
  ];
  const redeemed = (): readonly Instruction[] => [
    burnTokens(own, router, tokens),
    ...move(ledger, users, tokens),
  ];
  const filled = { buy: bought, sell: sold, redeem: redeemed }[kind];
  const input = kind === 'buy' ? USDC : own;
  return [
    ...(tokens === 0 ? [] : filled()),
    ...(amount === used
      ? []
      : [
          transferTokens(input, {
            from: accountOf(router, input),
            to: accountOf(user, input),
            authority: router,
            amount: amount - used,
          }),
        ]),
    memo(`${tokens === 0 ? 'revert' : 'fill'}:${id}`),
  ];
}

/** Tokens in an account, in their smallest units. */
function tokensIn(chain: SolanaChain, address: Address): number {
  const account = chain.account(address);
  const token = account === null ? null : readTokenData(account.data);
  return token?.kind === 'account' ? Number(token.amount) : 0;
}

function supply(chain: SolanaChain, { mint }: Token): number {
  const account = chain.account(mint);
  const token = account === null ? null : readTokenData(account.data);
  return token?.kind === 'mint' ? Number(token.supply) : 0;
}

function landed(executed: Executed): void {
  const error = executed.kind === 'dropped' ? executed.error : executed.transaction.error;
  assert(error === null, `a transaction of the venue's own failed: ${JSON.stringify(error)}`);
}
