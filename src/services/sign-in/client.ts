/** Who is at the other end of a sign-in call. */
export interface Client {
  /** IPv4, or the /64 of IPv6; null inside the service, where nothing is counted by address. */
  readonly address: string | null;
  /** What the program says of itself; empty when it says nothing. */
  readonly program: string;
}

/** A caller inside the service. */
export const TEST_CLIENT: Client = { address: null, program: 'predictd' };
