import { booksContract } from '../../contracts/venue/books.ts';
import { rowContract } from '../../contracts/venue/row.ts';
import { opened } from '../../contracts/venue/fixture.ts';
import { tradingContract } from '../../contracts/venue/trading.ts';
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
