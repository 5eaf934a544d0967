import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import type { SeenMember, ShardSummary } from '../adapters/postgres/shard-members.ts';
import { isOver, type ShardSplit } from '../adapters/postgres/split.ts';
import { BROKEN_REASONS } from '../domain/shard-states.ts';
import { REMEDIES } from './broken-shard.ts';

/** What is said of shards, and whether a person has to do something. */
export interface ShardReport {
  readonly lines: readonly string[];
  readonly isWell: boolean;
}

/** What is said of one process. */
interface Finding {
  readonly state: string;
  /** What to do; null for nothing. */
  readonly remedy: string | null;
}

/** Says of each shard who owns it, and of each process what it is, since when, and what to do. */
export function reportShards(
  shards: readonly ShardSummary[],
  members: readonly SeenMember[],
  splits: readonly ShardSplit[] = [],
): ShardReport {
  let isWell = true;
  const lines = shards.flatMap((shard) => {
    const own = members.filter((member) => member.shard === shard.shard);
    const split = splits.find((one) => !isOver(one) && one.successor === shard.shard);
    const lacks = split !== undefined && own.length === 0 ? START_NEW(shard) : lackOf(shard, own);
    if (lacks !== null) isWell = false;
    return [
      headline(shard),
      ...(lacks === null ? [] : [`  do: ${lacks}`]),
      ...own.flatMap((member) => {
        const { state, remedy } = findingOf(member, shard);
        if (remedy !== null) isWell = false;
        const since = new Date(member.sinceMs).toISOString();
        return [
          `  ${member.name}  ${state}, since ${since}, version ${member.version}`,
          ...(remedy === null ? [] : [`    do: ${remedy}`]),
        ];
      }),
    ];
  });
  for (const split of splits.filter((one) => !isOver(one))) {
    const { state, remedy } = splitFinding(split);
    if (remedy !== null) isWell = false;
    lines.push(`shard ${split.shard}  ${state}`, ...(remedy === null ? [] : [`  do: ${remedy}`]));
  }
  return shards.length === 0
    ? { lines: ['no process has ever taken a shard here'], isWell: false }
    : { lines, isWell };
}

/** What is to be done about a shard that a split has made and no process has served yet. */
const START_NEW = ({ shard }: ShardSummary): string =>
  `start two processes with PREDICTD_SHARD=${shard}, on two machines: its users wait for them`;

function splitFinding({ shard, successor, state, seq, hasForgotten }: ShardSplit): Finding {
  if (state === 'copying')
    return {
      state: `is being split: its log is copied to shard ${successor}, and it goes on`,
      remedy: `start two processes with PREDICTD_SHARD=${successor}, and give predictd shards split ${shard} again unless that runs: it goes on where it ended`,
    };
  if (state === 'asked')
    return {
      state: `is being split: the process that takes it next divides it with shard ${successor}`,
      remedy: null,
    };
  const left = [
    ...(hasForgotten.shard ? [] : [shard]),
    ...(hasForgotten.successor ? [] : [successor]),
  ];
  return {
    state: `was divided at frame ${seq} with shard ${successor}; to forget the other's users: shard ${left.join(', shard ')}, as it starts`,
    remedy: null,
  };
}

function headline({ shard, epoch, owner, address, head, restoredAgoMs }: ShardSummary): string {
  const owned = owner === '' ? 'no owner' : `owned by ${owner}`;
  const at = address === '' ? '' : ` at ${address}`;
  const snapshot =
    restoredAgoMs === null ? 'no snapshot yet' : `snapshot ${durationOf(restoredAgoMs)} old`;
  return `shard ${shard}  ${owned}${at}, epoch ${epoch}, ${head} frames, ${snapshot}`;
}

/** What is to be done about a shard as a whole; null for nothing. */
function lackOf({ owner }: ShardSummary, members: readonly SeenMember[]): string | null {
  const waits = members.some(
    (member) =>
      !isSilent(member) && (member.state === 'following' || member.state === 'catching_up'),
  );
  if (owner === '' && !waits) return 'start a process for this shard';
  return waits ? null : 'start a second process, on another machine: none waits to take over';
}

function findingOf(member: SeenMember, { owner, head }: ShardSummary): Finding {
  const { state, seq, sentence } = member;
  if (isSilent(member))
    return {
      state: `silent for ${durationOf(member.seenAgoMs)} (was ${state})`,
      remedy:
        'start it, or bring its way to the database back; a machine that was given up is left out after a week',
    };
  if (state === 'broken') {
    const reason = BROKEN_REASONS.find((known) => known === member.reason);
    const remedy = reason === undefined ? 'see its /readyz' : REMEDIES[reason];
    return { state: `broken (${member.reason}): ${sentence}`, remedy };
  }
  if (state === 'owner')
    return member.owner === owner
      ? { state: 'owner', remedy: null }
      : { state: 'owner until it was replaced: it ends by itself', remedy: null };
  if (state === 'fenced') return { state: 'fenced: it ends and is started again', remedy: null };
  const lacking = Math.max(0, head - seq);
  return { state: lacking === 0 ? state : `${state}, ${lacking} frames behind`, remedy: null };
}

function isSilent({ seenAgoMs }: SeenMember): boolean {
  return seenAgoMs > SHARD_SNAPSHOT.memberSilentMs;
}

const HOUR_MS = 3_600_000;

function durationOf(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / 60_000)} min`;
  return ms < 48 * HOUR_MS
    ? `${Math.round(ms / HOUR_MS)} h`
    : `${Math.round(ms / (24 * HOUR_MS))} days`;
}
