/** Milliseconds of processor time that this thread spends on it: what other programs do on this machine does not count. */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
