import { VENUE_CALLS } from '../../api/venues.ts';
import { leftoverNote } from './position-note.ts';

/** Says of a rest that no order can sell why it stays, and until when. */
export function Leftover({ held }: { readonly held: Parameters<typeof leftoverNote>[0] }) {
  const note = leftoverNote(held, VENUE_CALLS[held.venue]?.leastShares ?? 'what an order takes');
  return note === null ? null : (
    <p className="warn" style={{ fontWeight: 400 }}>
      {note}
    </p>
  );
}
