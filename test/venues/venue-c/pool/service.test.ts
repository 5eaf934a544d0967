import { serviceContract } from '../../../contracts/venue/service.ts';
import { createVenueCChainWorld } from '../../../support/worlds/venue-c-chain-world.ts';

serviceContract('venue_c, a pool on chain 8453', () => createVenueCChainWorld('pool'), {
  pricedBy: 'curve',
});
