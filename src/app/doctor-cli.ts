import { resolve } from 'node:path';
import type { Environment } from '../../config/schema.ts';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { usageOf } from './commands.ts';
import { runDoctor } from './doctor/doctor.ts';
import { DOCTOR_EXIT, reportLines } from './doctor/report.ts';

/**
 * Runs `predictd doctor`. Gives the exit code: 0 when all is well; 1 when a check warns; 2 when one
 * failed, or with one sentence when the command is wrong.
 */
export async function runDoctorCommand(
  words: readonly string[],
  {
    print,
    ...parts
  }: {
    /** Errors: `config_invalid`, which is one of the checks. */
    readonly read: () => Environment;
    /** The package: its version, and the versions of Node it runs on. */
    readonly version: string;
    readonly engines: string;
    readonly print: (line: string) => void;
    /** Wall time. */
    readonly clock: Clock;
  },
): Promise<number> {
  const command = readWords(words);
  const report = await runDoctor({ ...command, ...parts });
  if (command.asJson) print(JSON.stringify(report));
  else for (const line of reportLines(report)) print(line);
  return DOCTOR_EXIT[report.result];
}

interface Command {
  readonly asJson: boolean;
  readonly data: string | null;
  readonly prometheus: string | null;
  readonly testAlert: string | null;
}

/** Errors: `config_invalid`. */
function readWords(words: readonly string[]): Command {
  let asJson = false;
  let data: string | null = null;
  let prometheus: string | null = null;
  let testAlert: string | null = null;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const value = words[index + 1];
    if (word === '--json') asJson = true;
    else if (word === '--data' && value !== undefined && value !== '' && data === null) {
      data = resolve(value);
      index += 1;
    } else if (word === '--prometheus' && isAddress(value) && prometheus === null) {
      prometheus = value.replace(/\/$/, '');
      index += 1;
    } else if (word === '--test-alert' && isAddress(value) && testAlert === null) {
      testAlert = value.replace(/\/$/, '');
      index += 1;
    } else
      throw new AppError('config_invalid', `${word} is not understood; use: ${usageOf('doctor')}`);
  }
  return { asJson, data, prometheus, testAlert };
}

function isAddress(text: string | undefined): text is string {
  return text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text);
}
