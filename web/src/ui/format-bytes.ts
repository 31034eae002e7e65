const UNITS = ["bytes", "kB", "MB"] as const;

/** With at most one decimal. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : bytes < 1024 * 1024 ? 1 : 2;
  const value = bytes / 1024 ** power;
  const shown = value < 10 && power > 0 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value);
  return `${shown} ${bytes === 1 ? "byte" : UNITS[power]}`;
}
