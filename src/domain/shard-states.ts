/** Why a process can neither follow nor own its shard before a person has done something. */
export const BROKEN_REASONS = [
  'commit_log_lost',
  'folder_foreign',
  'folder_damaged',
  'snapshot_missing',
  'log_damaged',
] as const;
export type BrokenReason = (typeof BROKEN_REASONS)[number];

/** What a process is to its shard. */
export type ShardState =
  /** Reads what the owner adds, and takes its place. */
  | { readonly kind: 'following' }
  /** Reads what it lacks of the log. */
  | { readonly kind: 'catching_up' }
  | { readonly kind: 'owner' }
  /** Another process has taken the shard: this one ends, and is started again. */
  | { readonly kind: 'fenced' }
  /** Parked: nothing is tried again. */
  | { readonly kind: 'broken'; readonly reason: BrokenReason; readonly sentence: string };

export const SHARD_STATE_KINDS = [
  'following',
  'catching_up',
  'owner',
  'fenced',
  'broken',
] as const satisfies readonly ShardState['kind'][];
