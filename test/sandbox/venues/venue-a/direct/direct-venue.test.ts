import { venueContract } from '../../../../contracts/venue.ts';
import { startDirectVenue } from '../../../../support/fakes/direct-venue.ts';

venueContract('the adapter before the model venue, books by frames', () =>
  startDirectVenue('channel'),
);
venueContract('the adapter before the model venue, books directly', () =>
  startDirectVenue('direct'),
);
