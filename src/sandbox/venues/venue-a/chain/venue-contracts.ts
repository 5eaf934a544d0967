/** Contracts and chain the model venue's signatures are bound to (venue_a.md sections 1.3 and 5.1). */
export const VENUE_CONTRACTS = {
  chainId: 137,
  exchange: '0xE111180000d2663C0091e4f400237545B87B996B',
  negRiskExchange: '0xe2222d279d744050d28e00520010520000310F59',
  negRiskAdapter: '0xd91E80cF2E7be2e162c6513ceD06f1dD0dA35296',
  safeFactory: '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b',
  proxyFactory: '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052',
  depositFactory: '0x00000000000Fb5C9ADea0298D729A0CB3823Cc07',
  depositBeacon: '0x7A18EDfe055488A3128f01F563e5B479D92ffc3a',
  depositImplementation: '0x58CA52ebe0DadfdF531Cde7062e76746de4Db1eB',
  safeInitCodeHash: '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf',
  proxyInitCodeHash: '0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b',
} as const;
