import { booksContract } from '../../../contracts/venue/books.ts';
import { opened } from '../../../contracts/venue/fixture.ts';
import { rowContract } from '../../../contracts/venue/row.ts';
import { tradingContract } from '../../../contracts/venue/trading.ts';
import { withLinkedBooks } from '../../../support/fixtures/linked-feed.ts';
import { createVenueCChainWorld } from '../../../support/worlds/venue-c-chain-world.ts';

const CURVE = { pricedBy: 'curve' } as const;
const start = () => opened(createVenueCChainWorld('pool'));

rowContract('venue_c, a pool on chain 8453', start, CURVE);
tradingContract('venue_c, a pool on chain 8453', start, { ...CURVE, restsAt: 'service' });
booksContract('venue_c, a pool on chain 8453', start, CURVE);
booksContract('venue_c, a pool on chain 8453, over a link', () => withLinkedBooks(start()), CURVE);
