/* Values as the tables show them. */

export function times(value: number): string {
  return `${value.toFixed(value < 0.1 ? 3 : 2)} x`;
}

export function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString("en")}/s`;
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(3) : Math.round(value).toLocaleString("en")} ms`;
}

export function count(value: number): string {
  return `${value}`;
}

export function megabytes(value: number): string {
  return `${Math.round(value)} MB`;
}

export function percent(value: number): string {
  return `${(value * 100).toFixed(2)} %`;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(2)} KB`;
}
