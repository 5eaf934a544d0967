/**
 * Whether this process is the one that acts for its store. Whatever cannot be unsent is sent only
 * while it is held; what waits is durable, and is sent by whoever holds it later.
 */
export interface Lease {
  /** Cheap, and true only while no other process can hold it. */
  isHeld(): boolean;
}
