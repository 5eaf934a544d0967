import { isCashAccount } from '../../domain/cash.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { UserId } from '../../domain/ids.ts';
import type { LedgerEntry } from '../../domain/ledger.ts';
import type { NotificationFacts } from '../../domain/notification.ts';
import { shareMicros, usdcMicros } from '../../domain/units.ts';
import type { StoreReader } from '../../ports/store.ts';
import { POSITIONS } from '../books/tables.ts';

const MOVEMENT_KINDS = { deposit: 'deposit_booked', departure: 'money_departed' } as const;

/**
 * Returns what a posting says of money that came or left; null of any other. One account grows by
 * what the other shrinks: the user's and the world outside. Of a trade that is taken back its order
 * says so, and of a payout its own notification.
 */
export function movementFacts(
  reader: StoreReader,
  {
    userId,
    entry: { entryId, kind, postings },
    transactionHash,
  }: Extract<DomainEvent, { type: 'ledger.posted' }>,
): NotificationFacts | null {
  if (kind === 'shares_arrived' || entryId.startsWith('shares_left:'))
    return shareFacts(reader, userId, { kind, postings, transactionHash });
  const asset = postings[0]?.asset;
  if (kind !== 'deposit' && kind !== 'departure' && kind !== 'taken_back') return null;
  if (entryId.startsWith('taken_back:payout:'))
    return unpaidFacts(reader, userId, { postings, transactionHash });
  if (asset === undefined || !isCashAccount(asset)) return null;
  const outside = postings.find(({ owner }) => owner === 'outside');
  if (outside === undefined) return null;
  const takenBack = outside.micros > 0 ? 'deposit_taken_back' : 'departure_taken_back';
  return {
    kind: kind === 'taken_back' ? takenBack : MOVEMENT_KINDS[kind],
    cashAccount: asset,
    usdc: usdcMicros(Math.max(0, ...postings.map(({ micros }) => micros))),
    transactionHash: transactionHash ?? null,
  };
}

/** Of a position that is closed by it, its end says so. */
function shareFacts(
  reader: StoreReader,
  userId: UserId,
  {
    kind,
    postings,
    transactionHash = null,
  }: Pick<LedgerEntry, 'kind' | 'postings'> & OfTransaction,
): NotificationFacts | null {
  const own = postings.find(({ owner }) => owner === userId);
  const position = own && reader.get(POSITIONS, [userId, own.asset])?.value;
  if (own === undefined || position === undefined || position.shares === 0) return null;
  const { agentId, cashAccount, marketId, question, eventTitle, outcomeLabel, tokenId } = position;
  return {
    kind: kind === 'shares_arrived' ? 'shares_arrived' : 'shares_departed',
    agentId,
    tokenId,
    shares: shareMicros(Math.abs(own.micros)),
    cashAccount,
    transactionHash,
    marketId,
    question,
    ...(eventTitle === undefined ? {} : { eventTitle }),
    outcomeLabel,
  };
}

/** Of the transaction that brought or took it, where it is known. */
interface OfTransaction {
  readonly transactionHash?: string | null | undefined;
}

function unpaidFacts(
  reader: StoreReader,
  userId: UserId,
  { postings, transactionHash = null }: Pick<LedgerEntry, 'postings'> & OfTransaction,
): NotificationFacts | null {
  const own = postings.filter(({ owner }) => owner === userId);
  const tokenId = own.find(({ asset }) => !isCashAccount(asset))?.asset;
  const position = tokenId === undefined ? undefined : reader.get(POSITIONS, [userId, tokenId]);
  if (position === undefined || position === null) return null;
  const { agentId, cashAccount, marketId, question, eventTitle, outcomeLabel } = position.value;
  return {
    kind: 'payout_taken_back',
    agentId,
    tokenId: position.value.tokenId,
    cashAccount,
    usdc: usdcMicros(
      -own.reduce((sum, { asset, micros }) => sum + (isCashAccount(asset) ? micros : 0), 0),
    ),
    transactionHash,
    marketId,
    question,
    ...(eventTitle === undefined ? {} : { eventTitle }),
    outcomeLabel,
  };
}
