import { booksContract } from '../../contracts/venue/books.ts';
import { rowContract } from '../../contracts/venue/row.ts';
import { opened } from '../../contracts/venue/fixture.ts';
import { tradingContract } from '../../contracts/venue/trading.ts';
import { CURVE } from '../../support/example-venue/venue.ts';
import { withLinkedBooks, withLinkedCatalogue } from '../../support/fixtures/linked-feed.ts';
import { ORDER_BOOK } from '../../support/venue-ids.ts';
import { createExampleWorld } from '../../support/worlds/example-world.ts';

tradingContract('the example venue', () => opened(createExampleWorld()));
booksContract('the example venue', () => opened(createExampleWorld()));
rowContract('the example venue', () => opened(createExampleWorld()));
rowContract('an example venue that keeps no orders', () =>
  opened(createExampleWorld({ keepsOrders: false })),
);
tradingContract('an example venue that tells trades with their order alone', () =>
  opened(createExampleWorld({ listsTrades: false })),
);
tradingContract(
  'an example venue that keeps no orders',
  () => opened(createExampleWorld({ keepsOrders: false })),
  { restsAt: 'service' },
);
tradingContract('the order book of an example venue that has a curve too', () =>
  opened(createExampleWorld({ by: ORDER_BOOK })),
);
tradingContract(
  'the curve of an example venue that has an order book too',
  () => opened(createExampleWorld({ by: CURVE })),
  { restsAt: 'service' },
);
booksContract('the example venue over a link', () => withLinkedBooks(opened(createExampleWorld())));
rowContract('the example venue over a link', () =>
  withLinkedCatalogue(opened(createExampleWorld())),
);
