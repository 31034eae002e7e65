/** The longest time between two turns of the event loop, without the share of other processes. */
export function watchStalls() {
  let [longest, at, cpu] = [0, performance.now(), process.threadCpuUsage()];
  const timer = setInterval(() => {
    const used = process.threadCpuUsage(cpu);
    const waited = Math.min(performance.now() - at, (used.user + used.system) / 1000);
    longest = Math.max(longest, waited);
    [at, cpu] = [performance.now(), process.threadCpuUsage()];
  }, 1);
  return {
    end(): number {
      clearInterval(timer);
      return longest;
    },
  };
}
