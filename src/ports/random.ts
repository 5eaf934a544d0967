/**
 * The only source of chance inside the daemon: operating-system entropy in production, a seed in
 * tests and replays (L10).
 */
export interface Random {
  /** A whole number from 0 up to but not including `bound`; `bound` is at most 2^53. */
  integer(bound: number): number;
  /** Fresh random bytes. */
  bytes(count: number): Uint8Array;
}
