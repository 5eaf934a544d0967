import { venueContract } from '../../contracts/venue.ts';
import { startWireVenue } from '../../support/stands/wire-venue.ts';

venueContract('the wire adapter before the sandbox servers, with the funds of a Safe', () =>
  startWireVenue(2),
);
venueContract(
  'the wire adapter before the sandbox servers, with the funds of a deposit wallet',
  () => startWireVenue(3),
);
venueContract('the wire adapter before the sandbox servers, with the funds of the key itself', () =>
  startWireVenue(0),
);
