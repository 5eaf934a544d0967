/** What a case found; null when everything was as it must be. */
export type Finding = string | null;

/** One kind of input that is fuzzed. */
export interface Target {
  readonly name: string;
  /** Lives case `number` of a seed. Never rejects for what the service does: that is a finding. */
  live(seed: number, number: number): Promise<Finding>;
  /** Looks once more when all cases are over, and lets go of everything. */
  end(): Promise<Finding>;
}

/** What became of a run. */
export interface Outcome {
  readonly cases: number;
  readonly findings: readonly { readonly number: number; readonly finding: string }[];
}

/**
 * Lives cases `from` to `until`, `width` at a time, or until it was stopped or has found
 * ten things.
 */
export async function run(
  target: Target,
  seed: number,
  {
    from = 0,
    until,
    width = 1,
    mayGoOn = () => true,
  }: {
    readonly from?: number;
    readonly until: number;
    readonly width?: number;
    readonly mayGoOn?: () => boolean;
  },
): Promise<Outcome> {
  const findings: { number: number; finding: string }[] = [];
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < until && findings.length < FINDINGS_ENOUGH && mayGoOn()) {
      const number = next;
      next += 1;
      const finding = await target
        .live(seed, number)
        .catch((error: unknown) => `threw ${error instanceof Error ? error.stack : String(error)}`);
      if (finding !== null) findings.push({ number, finding });
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return { cases: next - from, findings };
}

const FINDINGS_ENOUGH = 10;
