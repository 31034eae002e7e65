/** One line of figures next to the verdict. */
export function say(line: string): void {
  process.stdout.write(`  ${line}\n`);
}
