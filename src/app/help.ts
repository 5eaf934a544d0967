import { COMMANDS, COMMON_EXITS, usageOf, type Command } from './commands.ts';

/** Columns of a terminal that a sentence is wrapped to. */
const WIDTH = 100;

/** The lines of `predictd --help`: each command with what it does. */
export function helpLines(): readonly string[] {
  return [
    'predictd <command> [words]; without a command it starts the daemon.',
    '',
    ...COMMANDS.flatMap((command) => [
      `  ${usageOf(command.name)}`,
      ...wrapped(command.does, '      '),
    ]),
    '  predictd [<command>] --help',
    '      Prints this, or one command with its exit codes.',
    '  predictd --version',
    '      Prints the version.',
    '',
    `Exit codes: ${exitText(COMMON_EXITS)}.`,
    'Settings are the PREDICTD_ variables in config/README.md.',
  ];
}

/** The lines of `predictd <command> --help`. */
export function commandHelpLines(command: Command): readonly string[] {
  return [
    usageOf(command.name),
    ...wrapped(command.does, '    '),
    ...wrapped(`Exit codes: ${exitText({ ...COMMON_EXITS, ...command.exits })}.`, '    '),
  ];
}

function exitText(exits: Readonly<Record<number, string>>): string {
  return Object.entries(exits)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join('; ');
}

function wrapped(sentence: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(`${indent}${line}`);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, `${indent}${line}`];
}
