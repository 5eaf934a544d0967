import { SOLANA_TRANSFER } from '../../../config/limits/solana.ts';
import { TOKEN_TRANSFER } from '../../../config/limits/funds.ts';
import type { CashAccount } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { ChainAccount, TransactionBody } from '../../domain/transaction.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { Solana, SolanaMessages, SolanaTrials } from '../../ports/solana.ts';

/** A token that can be sent on a chain. */
export interface SendableToken {
  /** Null for the chain's own coin. */
  readonly token: string | null;
  readonly symbol: string;
  readonly decimals: number;
  /** The balance it is in the books; null where it is no cash of theirs. */
  readonly cashAccount: CashAccount | null;
  /** In its smallest unit. */
  readonly minimumUnits: bigint;
  /** What of it a user may send in a UTC day. */
  readonly dailyUnits: bigint;
}

/** An amount on its way. */
export interface Sending {
  readonly from: string;
  readonly to: string;
  readonly token: SendableToken;
  readonly units: bigint;
}

/** What transfers out of users' own wallets ask of a chain. */
export interface TransferChain {
  readonly chain: Web3ChainId;
  readonly tokens: readonly SendableToken[];
  /**
   * Says what is wrong with a recipient; null when it is an address somebody may hold the key of.
   */
  recipientFault(to: string): string | null;
  /** The user's account there. Errors: `not_found`. */
  accountOf(userId: UserId): ChainAccount;
  /**
   * Refuses a recipient that is no wallet but a token or a program, and what the sender cannot pay,
   * fees included. Errors: `invalid_request`, `insufficient_funds`, `chain_unavailable`.
   */
  assertPayable(sending: Sending): Promise<void>;
  /** Returns what is to be signed. */
  bodyOf(sending: Sending): TransactionBody;
}

/** What transfers on Solana work with. */
export interface SolanaTransferDeps {
  readonly solana: Pick<Solana, 'lamports' | 'tokenAccounts'>;
  readonly accounts: Pick<SolanaTrials, 'accounts'>;
  readonly messages: SolanaMessages;
  readonly addressOf: (userId: UserId) => string;
  /** Null where no venue is paid for from the wallet: its dollars are in no books then. */
  readonly cashAccount: CashAccount | null;
}

const SOL_DECIMALS = 9;
/** Owns each account that is a wallet; tokens and programs belong to others. */
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** Fee of one transfer, priority included. */
const FEE_LAMPORTS = BigInt(
  SOLANA_TRANSFER.signatureLamports +
    Math.ceil(
      (SOLANA_TRANSFER.computeUnitsMaximum * SOLANA_TRANSFER.microLamportsPerUnit) / 1_000_000,
    ),
);

/** Makes transfers of SOL and USDC on Solana. */
export function createSolanaTransfers({
  solana,
  accounts,
  messages,
  addressOf,
  cashAccount,
}: SolanaTransferDeps): TransferChain {
  return {
    chain: 'SOLANA',
    tokens: [
      ...web3Chain('SOLANA').tokens.map(({ address, symbol, decimals }) => ({
        token: address,
        symbol,
        decimals,
        cashAccount,
        minimumUnits: BigInt(TOKEN_TRANSFER.minimumUsdcMicros),
        dailyUnits: BigInt(TOKEN_TRANSFER.dailyUsdcMicros),
      })),
      {
        token: null,
        symbol: 'SOL',
        decimals: SOL_DECIMALS,
        cashAccount: null,
        minimumUnits: 1n,
        dailyUnits: BigInt(TOKEN_TRANSFER.dailyLamports),
      },
    ],
    recipientFault: (to) =>
      messages.isWallet(to) ? null : 'a Solana wallet: 32 bytes in base58 that a key belongs to',
    accountOf: (userId) => ({ chain: 'SOLANA', rail: 'solana', address: addressOf(userId) }),
    async assertPayable(sending) {
      const [lamports, [recipient = null]] = await Promise.all([
        solana.lamports(sending.from),
        accounts.accounts([sending.to]),
      ]);
      if (recipient !== null && recipient.program !== SYSTEM_PROGRAM) throw noWallet();
      const recipientLamports = recipient?.lamports ?? 0n;
      if (sending.token.token === null) assertCoin(sending, lamports, recipientLamports);
      else await assertToken(solana, sending, lamports);
    },
    bodyOf: ({ from, to, token, units }) => ({
      kind: 'message',
      base64: messages.transfer({
        from,
        to,
        mint: token.token,
        decimals: token.decimals,
        units,
      }),
      lastValidHeight: null,
    }),
  };
}

/**
 * The network lets no account exist with less than its rent: neither what stays behind nor what is
 * new.
 */
function assertCoin({ units }: Sending, lamports: bigint, recipientLamports: bigint): void {
  const rent = BigInt(SOLANA_TRANSFER.accountRentLamports);
  const left = lamports - units - FEE_LAMPORTS;
  if (left < 0n || (left > 0n && left < rent))
    throw short(
      `your wallet holds ${sol(lamports)} SOL: the fee is ${sol(FEE_LAMPORTS)}, and what stays is nothing or at least ${sol(rent)}`,
      '/amount',
    );
  if (recipientLamports + units < rent)
    throw short(`a new account takes at least ${sol(rent)} SOL`, '/amount');
}

async function assertToken(
  solana: Pick<Solana, 'tokenAccounts'>,
  { from, to, token, units }: Sending,
  lamports: bigint,
): Promise<void> {
  const [own, theirs] = await Promise.all([solana.tokenAccounts(from), solana.tokenAccounts(to)]);
  const held = own
    .filter(({ mint }) => mint === token.token)
    .reduce((sum, { amount }) => sum + amount, 0n);
  if (held < units)
    throw short(
      `your wallet holds ${formatTokenAmount(held, token.decimals)} ${token.symbol}`,
      '/amount',
    );
  const isNew = !theirs.some(({ mint }) => mint === token.token);
  const needed = FEE_LAMPORTS + (isNew ? BigInt(SOLANA_TRANSFER.tokenAccountRentLamports) : 0n);
  if (lamports < needed)
    throw short(
      `not enough SOL for fees: ${sol(needed)} are needed${isNew ? ', most of it for the account the recipient has none of' : ''}, and your wallet holds ${sol(lamports)}`,
      '/token',
    );
}

/** What is sent to a token or a program nobody can ever fetch. */
function noWallet(): AppError {
  const message = 'a Solana wallet: this address is a token or a program';
  return new AppError('invalid_request', `to: ${message}`, { fields: [{ path: '/to', message }] });
}

function sol(lamports: bigint): string {
  return formatTokenAmount(lamports, SOL_DECIMALS);
}

function short(message: string, path: string): AppError {
  return new AppError('insufficient_funds', message, { fields: [{ path, message }] });
}
