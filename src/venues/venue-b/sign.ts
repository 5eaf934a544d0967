import { VersionedTransaction } from '@solana/web3.js';
import { VENUE_B_ORDER } from '../../../config/limits/venue-b.ts';
import { base58Of } from '../../adapters/wire/base58.ts';
import { AppError } from '../../domain/errors.ts';
import type { AttemptId, OrderId, UserId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { OrderSigner } from '../../ports/order-signer.ts';
import type { Solana } from '../../ports/solana.ts';
import { readPrepared, type PreparedOrder } from './prepared.ts';
import { askQuote, type QuoteParts } from './quotes.ts';
import { checkTransaction, lacksSol, type TransactionCheckParts } from './transaction-check.ts';

/** What orders are prepared and signed with. */
export interface SignerParts extends QuoteParts, TransactionCheckParts {
  readonly vault: Pick<KeyVault, 'has' | 'load' | 'solanaAddressOf' | 'signSolana'>;
  readonly solana: Pick<Solana, 'lamports' | 'blockHeight'>;
  /** Throws where purchases are not offered from here. Errors: `venue_restricted`. */
  readonly assertRegion: () => void;
}

/**
 * Creates the signer. What is signed is a transaction that the venue makes: it is asked for, and
 * checked by what it would do, before the commit that signs it (L1); its own signature is its name.
 */
export function createOrderSigner(parts: SignerParts): OrderSigner {
  const { vault, solana } = parts;
  return {
    async prepare({ intent }): Promise<PreparedOrder> {
      if (intent.side === 'buy') parts.assertRegion();
      const wallet = await walletOf(vault, intent.userId);
      if ((await solana.lamports(wallet)) < BigInt(VENUE_B_ORDER.lamportsNeeded)) throw lacksSol();
      const quote = await askQuote(parts, intent, wallet);
      const seenAtHeight = await solana.blockHeight();
      if (quote.makingLamports > VENUE_B_ORDER.makingLamportsMaximum)
        throw new AppError('venue_protocol', 'making the market would cost more than it may');
      const transaction = await checkTransaction(parts, quote.transaction, {
        wallet,
        mint: intent.side === 'buy' ? parts.settlementMint : intent.tokenId,
        gives: intent.side === 'buy' ? 'cash' : 'shares',
        amount: BigInt(quote.amountMicros),
        lamports: BigInt(VENUE_B_ORDER.lamportsMaximum + quote.makingLamports),
      });
      return {
        transaction: quote.transaction,
        blockhash: transaction.message.recentBlockhash,
        // Nobody's word makes a blockhash live for longer than the network lets it, or lets us give
        // it up before.
        lastValidBlockHeight: Math.min(
          quote.lastValidBlockHeight,
          seenAtHeight + VENUE_B_ORDER.blocksAliveMaximum,
        ),
        seenAtHeight,
        amountMicros: quote.amountMicros,
      };
    },
    sign({ userId }, given) {
      const prepared = readPrepared(given);
      const transaction = VersionedTransaction.deserialize(
        Buffer.from(prepared.transaction, 'base64'),
      );
      const signature = vault.signSolana(userId, transaction.message.serialize());
      transaction.signatures[0] = signature;
      const name = base58Of(signature);
      return {
        attemptId: asId<AttemptId>(name),
        orderId: asId<OrderId>(name),
        body: Buffer.from(transaction.serialize()).toString('base64'),
        extra: prepared,
      };
    },
  };
}

async function walletOf(vault: SignerParts['vault'], userId: UserId): Promise<string> {
  if (!vault.has(userId)) await vault.load(userId);
  return vault.solanaAddressOf(userId);
}
