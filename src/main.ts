#!/usr/bin/env node
import { COMMANDS } from './app/commands.ts';
import { AppError } from './domain/errors.ts';

const EXIT = { refused: 2, broken: 70 } as const;

/** Runs what the command line names; help and version load nothing else. */
async function main([first, ...rest]: readonly string[]): Promise<void> {
  // A reader that closes early, as head(1) does, wants no more lines; the command ends its work.
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EPIPE') throw cause;
  });
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  if (first === '--help' || first === '--version') {
    if (rest.length > 0) throw refused(`${first} takes no words, not ${rest.join(' ')}`);
    for (const line of await linesOf(first)) print(line);
    return;
  }
  const isNamed = first !== undefined && !first.startsWith('-');
  const command = COMMANDS.find(({ name }, index) => (isNamed ? name === first : index === 0));
  if (command === undefined)
    throw refused(
      `there is no command ${first ?? ''}; the commands are ${COMMANDS.map(({ name }) => name).join(', ')}`,
    );
  if (isNamed && rest.includes('--help')) {
    const { commandHelpLines } = await import('./app/help.ts');
    for (const line of commandHelpLines(command)) print(line);
    return;
  }
  process.exitCode = await command.run(isNamed ? rest : process.argv.slice(2), print);
}

async function linesOf(option: '--help' | '--version'): Promise<readonly string[]> {
  if (option === '--help') return (await import('./app/help.ts')).helpLines();
  return [(await import('./app/version.ts')).version()];
}

function refused(what: string): AppError {
  return new AppError('config_invalid', `${what}; see predictd --help.`);
}

main(process.argv.slice(2)).catch(async (cause: unknown) => {
  if (cause instanceof AppError) {
    process.stderr.write(`predictd: ${cause.message}\n`);
    process.exit(EXIT.refused);
  }
  const { crashReport } = await import('./app/crash-report.ts');
  process.stderr.write(`${crashReport(cause)}\n`);
  process.exit(EXIT.broken);
});
