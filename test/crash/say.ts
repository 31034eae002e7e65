/** One line of figures beside the verdict. */
export function say(line: string): void {
  process.stdout.write(`  ${line}\n`);
}
