import { AppError } from '../domain/errors.ts';

/** One command of `predictd`. */
export interface Command {
  readonly name: string;
  /** What follows the name, as the usage shows it; empty for nothing. */
  readonly words: string;
  /** What it does, in one sentence. */
  readonly does: string;
  /** Its exit codes beside those of every command (`COMMON_EXITS`). */
  readonly exits: Readonly<Record<number, string>>;
  /**
   * Runs it with the words after its name and returns the exit code. It loads what it runs on only
   * here. Errors: an `AppError` is printed as one sentence and ends with 2, anything else with 70.
   */
  run(words: readonly string[], print: (line: string) => void): Promise<number>;
}

/** Exit codes of every command. */
export const COMMON_EXITS: Readonly<Record<number, string>> = {
  0: 'ended as asked',
  2: 'refused with a sentence',
  70: 'an invariant broke (the next start recovers)',
};

/** Every command; the first one runs where the command line names none. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'start',
    words: '[--addresses]',
    does: 'Runs the daemon with the PREDICTD_ settings of its environment; --addresses prints its addresses as JSON, or those of the daemon that already runs in the data folder.',
    exits: {
      70: "an invariant broke, or the store or the sandbox's world was lost",
      75: 'another process has taken over: start it again, and it waits for its turn',
    },
    async run(words) {
      const { runStartCommand } = await import('./start-command.ts');
      return runStartCommand(words);
    },
  },
  {
    name: 'sandbox',
    words: '[--fund <address>]... [--json]',
    does: 'Runs the sandbox alone, for a bot to be tested: venues, chains and feeds on 127.0.0.1 with play money, on the clock of the wall; --fund gives a wallet of yours what it trades with, --json prints all addresses as one line.',
    exits: { 70: "an invariant broke, or the sandbox's world was lost" },
    async run(words, print) {
      const { runSandboxCommand } = await import('./sandbox-command.ts');
      return runSandboxCommand(words, print);
    },
  },
  {
    name: 'replay',
    words:
      '<recording> [--from 2026-06-08T00:00Z] [--to 2026-06-08T08:00Z] [--strategy up_down] [--seed 1]',
    does: 'Runs the whole service over a recording and prints its rounds, its money and a hash of its decisions.',
    exits: { 1: 'a round did not end as recorded' },
    async run(words, print) {
      const { runReplayCommand } = await import('../tools/replay/replay-command.ts');
      return runReplayCommand(words, print);
    },
  },
  {
    name: 'research',
    words: '[--data ../shared/data] [--out .predictd/research]',
    does: 'Writes the report on the recorded data: is the edge of the strategies real? It draws with echarts, which comes with a clone.',
    exits: {},
    async run(words, print) {
      const { runResearchCommand } = await import('../tools/research/research-command.ts').catch(
        asMissingPackage,
      );
      return runResearchCommand(words, print);
    },
  },
  {
    name: 'doctor',
    words: '[--json] [--data <folder>] [--prometheus <address>] [--test-alert <address>]',
    does: 'Checks settings, machine, data folder, keys and every address outside, beside a running daemon too, in 30 s at most: one line a check with what to do. It reads alone; --test-alert sends an Alertmanager one alert.',
    exits: { 1: 'a check warns', 2: 'a check failed, or the command is refused with a sentence' },
    async run(words, print) {
      const { runDoctorCommand } = await import('./doctor-cli.ts');
      const { readEnvironment } = await import('../../config/schema.ts');
      const { createWallClock } = await import('../adapters/clock/wall-clock.ts');
      const { nodeRange, version } = await import('./version.ts');
      const code = await runDoctorCommand(words, {
        read: readEnvironment,
        version: version(),
        engines: nodeRange(),
        print,
        clock: createWallClock(),
      });
      // An address that hangs would keep the process beyond its time.
      process.stdout.write('', () => process.exit(code));
      return code;
    },
  },
  {
    name: 'verify-journal',
    words: '[--data <folder>] [--head <number>:<hash>]... [--root <number>:<hash>]...',
    does: 'Reads the journal and all receipts of a data folder and says whether each is what was written.',
    exits: { 1: 'an entry is not as it was written' },
    async run(words, print) {
      const { runVerifyCommand } = await import('../tools/verify/verify-journal-command.ts');
      const { readEnvironment } = await import('../../config/schema.ts');
      return runVerifyCommand(words, readEnvironment().PREDICTD_DATA, print);
    },
  },
  {
    name: 'trace',
    words: 'order <id> [--data <folder>]',
    does: 'Prints what the journal and the log of a data folder have of one order, of a running daemon too, by our id or one of the venue: facts by commit, attempts, trades, lines.',
    exits: {},
    async run(words, print) {
      const { runTraceCommand } = await import('../tools/trace/trace-command.ts');
      const { readEnvironment } = await import('../../config/schema.ts');
      return runTraceCommand(words, readEnvironment().PREDICTD_DATA, print);
    },
  },
  {
    name: 'backup',
    words: '<folder> [--follow] [--data <folder>]',
    does: 'Copies the store of a data folder, of a running daemon too, and reads the copy again; --follow copies every second what it grew by, until SIGTERM. The master key is not in it.',
    exits: { 1: 'the copy could not be made, or could not follow' },
    async run(words, print) {
      const { runBackupCommand } = await import('./backup-cli.ts');
      const { readEnvironment } = await import('../../config/schema.ts');
      const { createWallClock } = await import('../adapters/clock/wall-clock.ts');
      const ending = new AbortController();
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.abort());
      return runBackupCommand(words, {
        environment: readEnvironment(),
        print,
        ending: ending.signal,
        clock: createWallClock(),
      });
    },
  },
  {
    name: 'restore',
    words: '<backup> <data folder>',
    does: 'Puts a backup in place as the store of an empty data folder, with buying stopped for everybody until an operator lifts that, and for each user until they do; sessions and API keys are ended.',
    exits: {},
    async run(words, print) {
      const { runRestoreCommand } = await import('./restore-cli.ts');
      const { readEnvironment } = await import('../../config/schema.ts');
      return runRestoreCommand(words, readEnvironment(), print);
    },
  },
  {
    name: 'adopt',
    words: '[--data <folder>]',
    does: 'Has the running daemon of a restored data folder book from venues and chains what its store lacks, until ledger and chain agree; names what is left. It shows the PREDICTD_INTERNAL_SECRET.',
    exits: { 1: 'ended, and what could not be attributed was named' },
    async run(words, print) {
      const { runAdoptCommand } = await import('./adopt-cli.ts');
      const { readEnvironment } = await import('../../config/schema.ts');
      const { createWallClock } = await import('../adapters/clock/wall-clock.ts');
      return runAdoptCommand(words, {
        environment: readEnvironment(),
        print,
        clock: createWallClock(),
      });
    },
  },
  {
    name: 'shards',
    words: '[split <shard>]',
    does: 'Says of each shard of PREDICTD_LOG_URLS who owns it, and of each of its processes what it is (following, catching_up, owner, fenced, broken and why), since when, and what to do; split gives half of the users of a shard to a new one.',
    exits: { 1: 'a person has to do something' },
    async run(words, print) {
      const { runShardsCommand } = await import('./shards-cli.ts');
      const { readEnvironment } = await import('../../config/schema.ts');
      return runShardsCommand(words, readEnvironment(), print);
    },
  },
  {
    name: 'mcp',
    words: '--url <address of the daemon>/mcp',
    does: 'Speaks MCP over standard input and output for a running daemon, with the API key in PREDICTD_MCP_KEY.',
    exits: {},
    async run(words) {
      const { runMcpCommand } = await import('./mcp-command.ts');
      const { readEnvironment } = await import('../../config/schema.ts');
      await runMcpCommand(words, readEnvironment().PREDICTD_MCP_KEY);
      return 0;
    },
  },
];

/** How a command is written: `predictd replay <recording> …`. */
export function usageOf(name: string): string {
  return ['predictd', name, COMMANDS.find((command) => command.name === name)?.words ?? '']
    .filter((part) => part !== '')
    .join(' ');
}

/** What an installed package leaves out is named; any other failure stays as it is. */
function asMissingPackage(cause: unknown): never {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (code !== 'ERR_MODULE_NOT_FOUND') throw cause;
  const [, name = 'a package'] = /package '([^']+)'/.exec(String(cause)) ?? [];
  throw new AppError(
    'config_invalid',
    `this command needs ${name}, which is not installed with predictd; install it beside, or run the command in a clone.`,
    { cause },
  );
}
