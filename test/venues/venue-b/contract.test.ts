import { booksContract } from '../../contracts/venue/books.ts';
import { opened } from '../../contracts/venue/fixture.ts';
import { tradingContract } from '../../contracts/venue/trading.ts';
import { withLinkedBooks } from '../../support/fixtures/linked-feed.ts';
import { createVenueBWorld } from '../../support/worlds/venue-b-world.ts';

/** A block is final after some 700 turns, and a blockhash lives for 3,000. */
const STEP_MS = 20;
const AT_ONCE = { restsAt: 'service' } as const;

booksContract('venue_b', () => opened(createVenueBWorld()));
tradingContract('venue_b', () => opened(createVenueBWorld(), STEP_MS), AT_ONCE);

const SOCKETS = 'venue_b over sockets';

booksContract(SOCKETS, () => opened(createVenueBWorld({ overSockets: true }), STEP_MS));
tradingContract(SOCKETS, () => opened(createVenueBWorld({ overSockets: true }), STEP_MS), AT_ONCE);
booksContract('venue_b over a link', () => withLinkedBooks(opened(createVenueBWorld())));
