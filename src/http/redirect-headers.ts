/**
 * Headers between shards and gateways: a gateway takes them from no client and shows them to none.
 */
export const SLOT_HEADER = 'predictd-slot';
export const ASSERTION_HEADER = 'predictd-assertion';
