/** The process that owns a shard, as gateways reach it. */
export interface ShardOwner {
  /** Grows with each owner. */
  readonly epoch: number;
  /** Where it takes calls: `http://10.0.0.7:8787`. */
  readonly url: string;
}
