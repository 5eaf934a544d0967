/** Reads `--name number` pairs; any other argument ends the program with a sentence. */
export function numbersOf<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  given: readonly string[] = process.argv.slice(2),
): Record<Name, number> {
  // the names of the defaults are all the names there are
  const names = Object.keys(defaults) as Name[];
  // made from all of them
  const values = Object.fromEntries(Object.entries(defaults)) as Record<Name, number>;
  for (let index = 0; index < given.length; index += 2) {
    const name = names.find((each) => `--${each}` === given[index]);
    const value = Number(given[index + 1]);
    if (name === undefined || given[index + 1] === undefined || !Number.isFinite(value)) {
      console.error(
        `takes ${names.map((each) => `--${each} <number, ${defaults[each]}>`).join(' ')}; not ${given.slice(index).join(' ')}`,
      );
      process.exit(2);
    }
    values[name] = value;
  }
  return values;
}
