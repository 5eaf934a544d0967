import { SOLANA_TRANSFER } from '../../../config/limits/solana.ts';
import { TOKEN_TRANSFER } from '../../../config/limits/funds.ts';
import type { CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { Solana, SolanaMessages, SolanaTrials } from '../../ports/solana.ts';
import type { WalletDemand } from '../transactions/wallet-reserves.ts';
import {
  badField,
  cannotPay,
  type SendableToken,
  type Sending,
  type TransferChain,
} from './transfer-chains.ts';

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
  cashAccountOf,
}: {
  readonly solana: Pick<Solana, 'lamports' | 'tokenAccounts'>;
  readonly accounts: Pick<SolanaTrials, 'accounts'>;
  readonly messages: SolanaMessages;
  readonly addressOf: (userId: UserId) => string;
  /** Which balance in the books a token is; null where no venue is paid from the wallet. */
  readonly cashAccountOf: (place: {
    readonly chain: 'SOLANA';
    readonly address: string;
  }) => CashAccount | null;
}): TransferChain {
  const tokens: readonly SendableToken[] = [
    ...web3Chain('SOLANA').tokens.map(({ address, symbol, decimals }) => ({
      token: address,
      symbol,
      decimals,
      cashAccount: cashAccountOf({ chain: 'SOLANA', address }),
      minimumUnits: BigInt(TOKEN_TRANSFER.minimumUsdcMicros),
    })),
    { token: null, symbol: 'SOL', decimals: SOL_DECIMALS, cashAccount: null, minimumUnits: 1n },
  ];
  return {
    chain: 'SOLANA',
    async tokenOf(_userId, name) {
      const found = tokens.find(
        ({ token, symbol }) => token === name || symbol.toLowerCase() === name.toLowerCase(),
      );
      if (found !== undefined) return found;
      throw badField('/token', `one of ${tokens.map(({ symbol }) => symbol).join(', ')}`);
    },
    recipientOf(_userId, to) {
      if (messages.isWallet(to)) return to;
      throw badField('/to', 'a Solana wallet: 32 bytes in base58 that a key belongs to');
    },
    accountOf: (userId) => ({ chain: 'SOLANA', rail: 'solana', address: addressOf(userId) }),
    async assertPayable(sending) {
      const [lamports, [recipient = null]] = await Promise.all([
        solana.lamports(sending.from),
        accounts.accounts([sending.to]),
      ]);
      if (recipient !== null && recipient.program !== SYSTEM_PROGRAM)
        // what is sent there is lost
        throw badField('/to', 'a Solana wallet: this address is a token or a program');
      const recipientLamports = recipient?.lamports ?? 0n;
      if (sending.token.token !== null) return assertToken(solana, sending, lamports);
      assertCoin(sending, lamports, recipientLamports);
      return [{ ...sending.token, held: lamports, units: sending.units + FEE_LAMPORTS }];
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
    throw cannotPay(
      '/amount',
      `your wallet holds ${sol(lamports)} SOL: the fee is ${sol(FEE_LAMPORTS)}, and what stays is nothing or at least ${sol(rent)}`,
    );
  if (recipientLamports + units < rent)
    throw cannotPay('/amount', `a new account takes at least ${sol(rent)} SOL`);
}

async function assertToken(
  solana: Pick<Solana, 'tokenAccounts'>,
  { from, to, token, units }: Sending,
  lamports: bigint,
): Promise<readonly WalletDemand[]> {
  const [own, theirs] = await Promise.all([solana.tokenAccounts(from), solana.tokenAccounts(to)]);
  const held = own
    .filter(({ mint }) => mint === token.token)
    .reduce((sum, { amount }) => sum + amount, 0n);
  if (held < units)
    throw cannotPay(
      '/amount',
      `your wallet holds ${formatTokenAmount(held, token.decimals)} ${token.symbol}`,
    );
  const isNew = !theirs.some(({ mint }) => mint === token.token);
  const needed = FEE_LAMPORTS + (isNew ? BigInt(SOLANA_TRANSFER.tokenAccountRentLamports) : 0n);
  if (lamports < needed)
    throw cannotPay(
      '/token',
      `not enough SOL for fees: ${sol(needed)} are needed${isNew ? ', most of it for the account the recipient has none of' : ''}, and your wallet holds ${sol(lamports)}`,
    );
  return [
    { ...token, held, units },
    { token: null, ...web3Chain('SOLANA').native, held: lamports, units: needed },
  ];
}

function sol(lamports: bigint): string {
  return formatTokenAmount(lamports, SOL_DECIMALS);
}
