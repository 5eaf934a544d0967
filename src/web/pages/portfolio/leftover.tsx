import { Link } from 'wouter';
import { VENUE_CALLS } from '../../api/venues.ts';
import { shares } from '../../format/money.ts';
import { marketPath } from '../../routes.ts';
import { MarketName } from '../../ui/market-name.tsx';
import { leftoverNote, remaindersLine } from './position-note.ts';

type Held = Parameters<typeof leftoverNote>[0];

/** Says of a rest that no order can sell why it stays, and until when. */
export function Leftover({ held }: { readonly held: Held }) {
  const note = leftoverNote(held, VENUE_CALLS[held.venue]?.leastShares ?? 'what an order takes');
  return note === null ? null : (
    <p className="warn" style={{ fontWeight: 400 }}>
      {note}
    </p>
  );
}

/** Remainders in one line, which opens; nothing without one. */
export function Remainders({ of }: { readonly of: readonly Held[] }) {
  if (of.length === 0) return null;
  return (
    <details className="faint" style={{ padding: '8px 16px 12px', fontSize: 13 }}>
      <summary className="link">{remaindersLine(of)}</summary>
      <ul>
        {of.map((held) => (
          <li key={`${held.venue} ${held.position.tokenId}`}>
            <Link href={marketPath(held.venue, held.position.marketId)}>
              {shares(held.position.shares)} <bdi>{held.position.outcomeLabel}</bdi>{' '}
              <MarketName {...held.position} />
            </Link>
            <Leftover held={held} />
          </li>
        ))}
      </ul>
    </details>
  );
}
