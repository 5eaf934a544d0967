import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { CrashScenario, Lived } from '../scenarios/scenario.ts';
import { createMemoryDisk } from './disk.ts';
import type { CutPoint } from './live-through.ts';

/** A point after which a run did not come right. */
export interface CutFailure {
  readonly point: CutPoint | null;
  /** What broke, where the ends part, or what was thrown. */
  readonly why: string;
}

/** What cutting a scenario in the model came to. */
export interface CutReport {
  readonly name: string;
  readonly family: string;
  readonly writes: number;
  /** Points there are. */
  readonly points: number;
  /** Points that were cut at. */
  readonly cuts: number;
  readonly failures: readonly CutFailure[];
}

/** Chooses the points to cut at; all of them by default. */
export type ChoosePoints = (points: readonly CutPoint[]) => readonly CutPoint[];

/**
 * Runs a scenario uncut and twice, which must be the same, then with the power going at each chosen
 * point.
 */
export async function cutInModel(
  scenario: CrashScenario,
  choose: ChoosePoints = (points) => points,
): Promise<CutReport> {
  const { name, family } = scenario;
  const whole = await scenario.live(createMemoryDisk(), null);
  const failures: CutFailure[] = [];
  const again = await scenario.live(createMemoryDisk(), null);
  if (again.end !== whole.end || again.writes !== whole.writes)
    failures.push({ point: null, why: 'two uncut runs differ' });
  if (whole.broken.length > 0) failures.push({ point: null, why: whole.broken.join('\n') });
  const chosen = choose(whole.points);
  for (const point of chosen) {
    const why = await scenario.live(createMemoryDisk(), point).then(
      (cut) => whatDiffers(cut, whole),
      (error: unknown) => `it came to nothing: ${String(error)}`,
    );
    if (why !== null) failures.push({ point, why });
  }
  return {
    name,
    family,
    writes: whole.writes,
    points: whole.points.length,
    cuts: chosen.length,
    failures,
  };
}

/**
 * Says how a run that was cut came out other than the whole one; null when it came to the same end
 * and broke no law.
 */
export function whatDiffers(
  cut: Pick<Lived, 'end' | 'broken' | 'lives'>,
  whole: Pick<Lived, 'end'>,
): string | null {
  const lines = [
    ...cut.broken,
    ...(cut.end === whole.end ? [] : partings(whole.end, cut.end)),
    ...(cut.lives > 1 ? [] : ['the power never went']),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

/** The parts of two ends that are not the same. */
function partings(whole: string, cut: string): readonly string[] {
  const [one, other] = [fieldsOf(whole), fieldsOf(cut)];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((name) =>
    one.get(name) === other.get(name)
      ? []
      : [`${name} uncut: ${one.get(name)}`, `${name} cut:   ${other.get(name)}`],
  );
}

function fieldsOf(end: string): ReadonlyMap<string, string> {
  // Every stage's end is an object, written as canonical JSON.
  return new Map(
    Object.entries(JSON.parse(end) as object).map(([name, value]) => [name, JSON.stringify(value)]),
  );
}

/**
 * Makes points where another process takes over: before a write, which it does not find, and after
 * one, which it does.
 */
export function takenOver(points: readonly CutPoint[]): readonly CutPoint[] {
  return points
    .filter(({ moment }) => moment === 'before' || moment === 'after')
    .map((point) => ({ ...point, isTakenOver: true }));
}

/**
 * Chooses `count` points, the same ones for the same seed, and another handful for each scenario.
 */
export function sample(seed: string, count: number): ChoosePoints {
  return (points) => {
    const random = createSeededRandom(seed);
    const left = [...points];
    return Array.from({ length: Math.min(count, points.length) }, () =>
      left.splice(random.integer(left.length), 1),
    ).flat();
  };
}
