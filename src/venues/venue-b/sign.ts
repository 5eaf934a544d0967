import { VersionedTransaction } from '@solana/web3.js';
import { VENUE_B_ORDER } from '../../../config/limits/venue-b.ts';
import { base58Of } from '../../adapters/wire/base58.ts';
import { AppError, assert } from '../../domain/errors.ts';
import { asId, type AttemptId, type OrderId, type UserId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { OrderSigner } from '../../ports/order-signer.ts';
import type { Solana } from '../../ports/solana.ts';
import { readPrepared, type PreparedOrder } from './prepared.ts';
import { askQuote, type Quote, type QuotePayer, type QuoteParts } from './quotes.ts';
import type { Sponsor } from './sponsor.ts';
import { checkTransaction, lacksSol, type TransactionCheckParts } from './transaction-check.ts';

export interface SignerParts extends QuoteParts, TransactionCheckParts {
  readonly vault: Pick<KeyVault, 'has' | 'load' | 'solanaAddressOf' | 'signSolana'>;
  readonly solana: Pick<Solana, 'lamports' | 'blockHeight'>;
  /** Null where each wallet pays for itself. */
  readonly sponsor: Sponsor | null;
  /** Throws where purchases are not offered from here. Errors: `venue_restricted`. */
  readonly assertRegion: () => void;
  /** Throws while the venue clears. Errors: `market_not_ready`, retryable. */
  readonly assertNoMaintenance: () => void;
}

/**
 * Creates the signer. What is signed is a transaction that the venue makes: it is asked for, and
 * checked by what it would do, before the commit that signs it (L1); its first signature is its
 * name.
 */
export function createOrderSigner(parts: SignerParts): OrderSigner {
  const { vault, solana } = parts;
  return {
    asksVenue: true,
    async prepare({ intent }): Promise<PreparedOrder> {
      const { sponsor } = parts;
      const { userId } = intent;
      if (intent.side === 'buy') {
        parts.assertRegion();
        parts.assertNoMaintenance();
      }
      const wallet = await walletOf(vault, userId);
      const isSponsored = sponsor !== null && (await sponsor.canPay(userId));
      const assertSol = async (): Promise<void> => {
        if ((await solana.lamports(wallet)) < BigInt(VENUE_B_ORDER.lamportsNeeded))
          throw lacksSol();
      };
      if (!isSponsored) await assertSol();
      const asked = { wallet, sponsor: isSponsored ? sponsor : null };
      const quote = await askQuote(parts, intent, asked);
      if (!isSponsored || quote.makingLamports === 0)
        return preparedOf(parts, intent, { ...asked, quote });
      // Whoever buys first makes the market's tokens, and that is not what a sponsor is for.
      await assertSol();
      const alone = { wallet, sponsor: null };
      return preparedOf(parts, intent, { ...alone, quote: await askQuote(parts, intent, alone) });
    },
    sign({ userId }, given) {
      const prepared = readPrepared(given);
      const transaction = VersionedTransaction.deserialize(
        Buffer.from(prepared.transaction, 'base64'),
      );
      const message = transaction.message.serialize();
      const wallet = vault.solanaAddressOf(userId);
      // Others have signed; the check left these two (`transaction-check.ts`).
      const { staticAccountKeys, header } = transaction.message;
      for (const [index, key] of staticAccountKeys
        .slice(0, header.numRequiredSignatures)
        .entries()) {
        const signer = key.toBase58();
        if (signer === wallet) transaction.signatures[index] = vault.signSolana(userId, message);
        else if (signer === parts.sponsor?.address)
          transaction.signatures[index] = parts.sponsor.sign(message);
      }
      const [first] = transaction.signatures;
      assert(first !== undefined, 'a transaction has who pays for it');
      const name = base58Of(first);
      return {
        attemptId: asId<AttemptId>(name),
        orderId: asId<OrderId>(name),
        body: Buffer.from(transaction.serialize()).toString('base64'),
        extra: prepared,
      };
    },
  };
}

interface Offered extends QuotePayer {
  readonly sponsor: Sponsor | null;
  readonly quote: Quote & { readonly amountMicros: number };
}

/** Checks an offer and fixes it. Errors: those of `checkTransaction` and of `Sponsor.take`. */
async function preparedOf(
  parts: SignerParts,
  intent: OrderIntent,
  { wallet, sponsor, quote }: Offered,
): Promise<PreparedOrder> {
  const { solana } = parts;
  const seenAtHeight = await solana.blockHeight();
  if (quote.makingLamports > VENUE_B_ORDER.makingLamportsMaximum)
    throw new AppError('venue_protocol', 'making the market would cost more than it may');
  const { transaction, payerLamports } = await checkTransaction(parts, quote.transaction, {
    wallet,
    ...(sponsor === null
      ? {}
      : {
          payer: {
            address: sponsor.address,
            lamports: BigInt(VENUE_B_ORDER.lamportsMaximum),
          },
        }),
    mint: intent.side === 'buy' ? parts.settlementMint : intent.tokenId,
    gives: intent.side === 'buy' ? 'cash' : 'shares',
    amount: BigInt(quote.amountMicros),
    lamports: BigInt(VENUE_B_ORDER.lamportsMaximum + quote.makingLamports),
  });
  await sponsor?.take(intent.userId, payerLamports);
  return {
    transaction: quote.transaction,
    blockhash: transaction.message.recentBlockhash,
    // No statement makes a blockhash live for longer than the network lets it, or lets us give
    // it up before.
    lastValidBlockHeight: Math.min(
      quote.lastValidBlockHeight,
      seenAtHeight + VENUE_B_ORDER.blocksAliveMaximum,
    ),
    seenAtHeight,
    amountMicros: quote.amountMicros,
    isSponsored: sponsor !== null,
  };
}

async function walletOf(vault: SignerParts['vault'], userId: UserId): Promise<string> {
  if (!vault.has(userId)) await vault.load(userId);
  return vault.solanaAddressOf(userId);
}
